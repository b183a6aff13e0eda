#pragma once

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

/// Throws ConfigError where a file has the name of the folder that `--output` is to be.
inline void check_output_folder(const std::filesystem::path& output) {
  std::error_code error;
  if (std::filesystem::exists(output, error) && !std::filesystem::is_directory(output, error))
    throw ConfigError(
        fmt::format("--output {}: a file of this name exists. Give the name of a folder.", output.string()));
}

/// The folder of the file `path`, which is to be there. Throws FileError, naming `flag`, where it is not.
inline std::filesystem::path folder_of_output(const std::filesystem::path& path, const char* flag) {
  std::error_code error;
  std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::exists(folder, error))
    throw FileError(
        fmt::format("{} {}: there is no folder {}. Create it first.", flag, path.string(), folder.string()));
  if (!std::filesystem::is_directory(folder, error))
    throw FileError(fmt::format("{} {}: {} is not a folder. Give another name.", flag, path.string(), folder.string()));
  return folder;
}

[[noreturn]] inline void fail_to_create(const std::filesystem::path& folder, const std::error_code& error) {
  throw FileError(fmt::format("cannot create the folder {}: {}", folder.string(), error.message()));
}

/// Makes a folder, and those that it is in. Throws FileError, which names `told` where that is given.
inline void create_folders(const std::filesystem::path& folder, const std::filesystem::path& told = {}) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_to_create(told.empty() ? folder : told, error);
}

}  // namespace v1
}  // namespace harmonium
