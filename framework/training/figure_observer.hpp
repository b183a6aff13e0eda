#pragma once

#include <cstdint>
#include <string>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// "--set 'observers=[{type="log_likelihood",every=5}]'": how the built-in observer of a figure, such as
/// validation_log_likelihood, is told to measure it so often. Of a figure of another observer NAME stands for its name.
std::string setting_of_every(const std::string& figure, std::uint64_t every);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
