#pragma once

#include <string>
#include <vector>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

/// Every component, those of `plugins` too. They are the same in both precisions; those of a plugin that was built for one
/// are had from that. Throws PluginError.
std::vector<ComponentDescription> components(const std::vector<std::string>& plugins);

/// The kind that a word names, in the singular or the plural ("sampler", "studies"); empty where there is none.
std::string kind_named(const std::vector<ComponentDescription>& all, const std::string& word);
/// The same; an empty word stands for all kinds and stays so. Throws ConfigError for a kind that there is not.
std::string checked_kind(const std::vector<ComponentDescription>& all, const std::string& word);

/// The components of a kind, a line each below the name of the kind; of all kinds where it is empty.
std::string components_text(const std::vector<ComponentDescription>& all, const std::string& kind);

}  // namespace v1
}  // namespace harmonium
