#pragma once

#include <string>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What import makes the model of, before it reads the parameters: the `precision`, `plugins` and [model] of a configuration.
std::string model_text(const Value& config);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
