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
  const auto own = std::make_shared<const Registries>(with_plugins(registries, request, Value{}));
  for (const ComponentInfo& c : own->components()) {
    all.push_back({c.kind, c.name, c.summary, c.origin, c.options, {}});
    if (is_model_preset(c)) all.back().stands_for = [c, own] { return preset_text(c, *own); };
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
