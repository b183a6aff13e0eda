#pragma once

#include <string>

namespace harmonium {
inline namespace v1 {

// What an argument names that may be the folder of a run. The first two throw ConfigError where a folder has not what is asked of it.

/// A model file.
std::string model_named(const std::string& given);
/// A configuration.
std::string configuration_named(const std::string& given);
/// Throws ConfigError where a file has the name of the folder that `--output` is to be.
void check_output_folder(const std::string& output);

}  // namespace v1
}  // namespace harmonium
