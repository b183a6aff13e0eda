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

void check_kind(const std::vector<ComponentDescription>& all, const std::string& kind) {
  std::vector<std::string> kinds;
  for (const ComponentDescription& c : all)
    if (std::ranges::find(kinds, c.kind) == kinds.end()) kinds.push_back(c.kind);
  if (kind.empty() || std::ranges::find(kinds, kind) != kinds.end()) return;
  throw ConfigError(fmt::format("there is no kind of component called '{}'{}. Kinds: {}.", kind,
                                did_you_mean(kind, kinds), fmt::join(kinds, ", ")));
}

}  // namespace v1
}  // namespace harmonium
