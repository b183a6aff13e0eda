#pragma once

#include <string>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The model file that an argument names: a file is itself, and the folder of a run stands for its model.h5. Throws
/// ConfigError where a folder holds no run, or a run that has no model yet; the message names the checkpoint that would serve.
std::string model_of_run(const std::string& given);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
