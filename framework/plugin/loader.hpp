#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/plugin/stamp.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Thrown where a plugin that is named is nowhere to be found.
class PluginAbsent final : public PluginError {
 public:
  explicit PluginAbsent(const std::string& what) : PluginError(what) {}
  ~PluginAbsent() override;
};

/// Where a plugin that is named, rather than given as a file, is looked for: the folders of HARMONIUM_PLUGIN_PATH
/// (separated by colons), then lib/harmonium/plugins of the installation that is running.
std::vector<std::filesystem::path> plugin_folders();

/// The stamp in the file `path`, read without running anything of it. Throws PluginError where the file is no plugin.
PluginStamp read_plugin_stamp(const std::filesystem::path& path);

/// Enrols what the shared object `path` provides in `into`: all of it, or nothing with PluginError. Its stamp (interface,
/// precision, toolchain) is compared with ours before any code of it runs. A shared object stays loaded as long as the
/// process lives, so that nothing made by it can outlive its code. A file that is loaded already is left as it is.
void load_plugin(const std::filesystem::path& path, Registries& into);

/// Loads what the command line gives, `--plugin` NAME or FILE, and what `named` of a configuration, a list or a name, says; null:
/// nothing. Only the former may be a path: opening somebody's model must not run somebody's file. The file of a plugin
/// NAME is NAME.so in double and NAME_f32.so in single; of a FILE given in the other precision its twin is taken.
/// Throws PluginError with the place of the name.
void load_plugins(std::span<const std::string> given, const Value* named, Registries& into);

/// A file that may be a plugin.
struct FoundPlugin {
  std::filesystem::path file;
  bool given = false;  ///< as a file, and not found in a folder
};

/// The files that are given, and the shared objects in the plugin folders, sorted within a folder.
std::vector<FoundPlugin> found_plugins(std::span<const std::string> given);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
