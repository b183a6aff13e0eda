#include <harmonium/program/components.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {

std::vector<ComponentDescription> components(const std::vector<std::string>& plugins) {
  try {
    return program(Precision::float64).components(plugins);
  } catch (const PluginError&) {
    try {
      return program(Precision::float32).components(plugins);
    } catch (const PluginError&) {
    }
    throw;
  }
}

namespace {

std::vector<std::string> kinds_of(const std::vector<ComponentDescription>& all) {
  std::vector<std::string> kinds;
  for (const ComponentDescription& c : all)
    if (std::ranges::find(kinds, c.kind) == kinds.end()) kinds.push_back(c.kind);
  return kinds;
}

std::string plural(const std::string& kind) {
  return kind.ends_with('y') ? kind.substr(0, kind.size() - 1) + "ies" : kind + "s";
}

}  // namespace

std::string kind_named(const std::vector<ComponentDescription>& all, const std::string& word) {
  for (const std::string& kind : kinds_of(all))
    if (word == kind || word == plural(kind)) return kind;
  return "";
}

std::string checked_kind(const std::vector<ComponentDescription>& all, const std::string& word) {
  if (word.empty()) return word;
  if (std::string kind = kind_named(all, word); !kind.empty()) return kind;
  const std::vector<std::string> kinds = kinds_of(all);
  throw ConfigError(fmt::format("there is no kind of component called '{}'{}. Kinds: {}.", word,
                                did_you_mean(word, kinds), fmt::join(kinds, ", ")));
}

std::string components_text(const std::vector<ComponentDescription>& all, const std::string& kind) {
  std::string text, current;
  std::size_t width = 22;
  for (const ComponentDescription& c : all) width = std::max(width, c.name.size());
  for (const ComponentDescription& c : all) {
    if (!kind.empty() && c.kind != kind) continue;
    if (c.kind != current) text += fmt::format("{}{}\n", current.empty() ? "" : "\n", c.kind);
    current = c.kind;
    text += fmt::format("  {:<{}}  {}\n", c.name, width, c.summary);
  }
  return text;
}

}  // namespace v1
}  // namespace harmonium
