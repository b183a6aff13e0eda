#include <harmonium/framework/run/plugins.hpp>

#include <harmonium/framework/plugin/loader.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether the model's own table names a component that is there.
bool knows_model(const Registries& registries, const Value& config) {
  const Value* model = config.find("model");
  const Value* type = model ? model->find("type") : nullptr;
  return type && type->is_string() &&
         registries.of<EnergyModel>().entries().contains(std::get<std::string>(type->data));
}

}  // namespace

Registries with_plugins(const Registries& registries, const CommonRequest& request, const Value& config) {
  Registries all = registries;
  load_plugins(request.plugins, config.find("plugins"), all);
  return all;
}

Registries with_plugins(const Registries& registries, const CommonRequest& request, const ModelHeader& header) {
  Registries all = registries;
  load_plugins(request.plugins, nullptr, all);
  const Value* named = header.config.find("plugins");
  if (!named || !named->is_list()) return all;
  std::vector<std::string> absent;
  for (const Value& name : std::get<Value::List>(named->data)) {
    Value one;
    one.data = Value::List{name};
    one.where = named->where;
    try {
      load_plugins({}, &one, all);
    } catch (const PluginAbsent& error) {
      absent.emplace_back(error.what());
    }
  }
  if (!absent.empty() && !knows_model(all, header.config)) throw PluginError(absent[0]);
  for (const std::string& why : absent)
    if (request.display) request.display->warn(why + " The model is taken without it.");
  return all;
}

Value plugin_names(const Registries& registries) {
  Value names;
  names.data = Value::List{};
  for (const LoadedPlugin& plugin : registries.plugins())
    std::get<Value::List>(names.data).push_back(make_value(plugin.name));
  return names;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
