#include <harmonium/program/configuration.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Most people who name a model file, or their data, here mean another command.
void refuse_other_file(const std::string& path) {
  if (!is_hdf5(path)) {
    if (path.ends_with(".toml") || !std::filesystem::is_regular_file(path) || !known_table_format(path)) return;
    throw ConfigError(fmt::format(
        "{0}: a file of data, not a configuration. 'harmonium init {0} --output CONFIG.toml' writes one for it.",
        path));
  }
  throw ConfigError(
      fmt::format("{}: an HDF5 file, such as a model, not a configuration. To use a model: harmonium "
                  "evaluate, sample or gradient.",
                  path));
}

}  // namespace

Value read_configuration(const std::string& path) {
  refuse_other_file(path);
  return read_toml(path);
}

void read_configuration(const std::string& path, TrainRequest& request) {
  request.config = read_configuration(path);
  for (const std::string& assignment : request.set) apply_override(request.config, assignment);
  request.config_folder = std::filesystem::absolute(path).parent_path().string();
}

}  // namespace v1
}  // namespace harmonium
