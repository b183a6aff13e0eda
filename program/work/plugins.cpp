#include <harmonium/framework/plugin/loader.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What a file says it was built for; 64 where it says nothing.
unsigned bits_of(const std::filesystem::path& file) {
  try {
    return read_plugin_stamp(file).real_bits == 32 ? 32 : 64;
  } catch (const PluginError&) {
    return 64;
  }
}

}  // namespace

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
        if (c.origin != "built in") listing.components.push_back({c.kind, c.name, c.summary, c.origin, c.options, {}});
    } catch (const PluginError& error) {
      listing.failure = error.what();
    }
    all.push_back(std::move(listing));
  }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
