#include <harmonium/framework/run/plugins.hpp>

#include <fmt/format.h>

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

/// What a file says it was built for; 64 where it says nothing.
unsigned bits_of(const std::filesystem::path& file) {
  try {
    return read_plugin_stamp(file).real_bits == 32 ? 32 : 64;
  } catch (const PluginError&) {
    return 64;
  }
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

std::vector<PluginListing> list_plugins(std::span<const std::string> given, const Registries& registries) {
  std::vector<PluginListing> all;
  for (const auto& [file, was_given] : found_plugins(given)) {
    if (bits_of(file) != 8 * sizeof(Real)) continue;  // listed by the other precision
    PluginListing listing;
    listing.path = file.string();
    listing.given = was_given;
    listing.real_bits = 8 * sizeof(Real);
    try {
      Registries own = registries;
      load_plugin(file, own);
      const LoadedPlugin& plugin = own.plugins().back();
      listing.name = plugin.name;
      listing.version = plugin.version;
      listing.summary = plugin.summary;
      for (ComponentInfo& c : own.components())
        if (c.origin != "built in") listing.components.push_back({c.kind, c.name, c.summary, c.origin, c.options, ""});
    } catch (const PluginError& error) {
      listing.failure = error.what();
    }
    all.push_back(std::move(listing));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
