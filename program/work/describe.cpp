#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<ComponentDescription> list_components(const std::vector<std::string>& plugins,
                                                  const Registries& registries) {
  CommonRequest request;
  request.plugins = plugins;
  std::vector<ComponentDescription> all;
  for (ComponentInfo& c : with_plugins(registries, request, Value{}).components())
    all.push_back(
        {std::move(c.kind), std::move(c.name), std::move(c.summary), std::move(c.origin), std::move(c.options)});
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
