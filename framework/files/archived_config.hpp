#pragma once

#include <filesystem>
#include <optional>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// The array of an archive of arrays (.npz) that says of what model the others are: a text, which is a configuration in TOML, as the
/// attribute `config` of a model file.
inline constexpr const char* archived_config_name = "config";

/// That configuration; nothing of a file that is no archive or has no array of that name. Throws DataError where it is no text,
/// ConfigError where that is no TOML.
std::optional<Value> archived_config(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
