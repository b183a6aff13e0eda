#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/preset_text.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<ComponentDescription> list_components(const std::vector<std::string>& plugins,
                                                  const Registries& registries) {
  CommonRequest request;
  request.plugins = plugins;
  std::vector<ComponentDescription> all;
  const Registries own = with_plugins(registries, request, Value{});
  for (const ComponentInfo& c : own.components())
    all.push_back({c.kind, c.name, c.summary, c.origin, c.options, preset_text(c, own)});
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
