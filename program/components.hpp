#pragma once

#include <string>
#include <vector>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

/// Every component, those of `plugins` too. They are the same in both precisions; those of a plugin that was built for one
/// are had from that. Throws PluginError.
std::vector<ComponentDescription> components(const std::vector<std::string>& plugins);

/// Throws ConfigError for a kind that there is not; an empty one stands for all.
void check_kind(const std::vector<ComponentDescription>& all, const std::string& kind);

}  // namespace v1
}  // namespace harmonium
