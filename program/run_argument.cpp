#include <harmonium/program/run_argument.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/folder_of_sweep.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {

std::string model_named(const std::string& given) { return program(Precision::float64).model_of_run(given); }

std::string configuration_named(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(given, error)) return given;
  const fs::path config = fs::path(given) / "config.toml";
  if (fs::exists(config, error)) return config.string();
  refuse_sweep(given);
  if (fs::exists(fs::path(given) / "machine1" / "config.toml", error))
    throw ConfigError(
        fmt::format("{0}: the folder of a stack. Name one of its machines, such as {0}/machine1.", given));
  throw ConfigError(fmt::format(
      "{}: a folder that holds no run (no config.toml). Name a configuration or the folder of a run.", given));
}

}  // namespace v1
}  // namespace harmonium
