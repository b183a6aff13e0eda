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

}  // namespace v1
}  // namespace harmonium
