#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/plugin/loader.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool provides(const Registries& plugin, std::string_view kind, const std::string& name) {
  for (const ComponentInfo& c : plugin.components())
    if (c.kind == kind && c.name == name) return true;
  return false;
}

}  // namespace

std::string plugin_with(std::string_view kind, const std::string& name) {
  for (const FoundPlugin& found : found_plugins({})) {
    Registries own;
    try {
      load_plugin(found.file, own);
    } catch (const PluginError&) {
      continue;  // of the other precision, or none that can be loaded: 'harmonium plugins' tells
    }
    const std::string& plugin = own.plugins().back().name;
    const std::string file = found.file.stem().string();
    const bool found_by_name = file == plugin || file == plugin + "_f32";
    if (found_by_name && provides(own, kind, name)) return plugin;
  }
  return "";
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
