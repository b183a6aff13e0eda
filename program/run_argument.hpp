#pragma once

#include <string>

namespace harmonium {
inline namespace v1 {

// What an argument names that may be the folder of a run. Both throw ConfigError where a folder has not what is asked of it.

/// A model file.
std::string model_named(const std::string& given);
/// A configuration.
std::string configuration_named(const std::string& given);

}  // namespace v1
}  // namespace harmonium
