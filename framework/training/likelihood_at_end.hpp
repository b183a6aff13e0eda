#pragma once

#include <algorithm>
#include <string_view>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Multiplications and additions of one core in a second by a way to log Z: sums over states run in vectors, all others do not.
constexpr double operations_in_a_second(std::string_view log_z) { return log_z == "exact" ? 1e10 : 1e9; }

/// The most multiplications and additions that an exact log likelihood of the model may take which a run ends with, for it to be found
/// unasked: 6·10^10, some six seconds of one core; up to 1.2·10^11, twelve seconds, where the training takes a tenth of that or more.
/// Numbers and no clock, so that a run has it on every machine or on none. `training`: multiplications and additions of all updates.
constexpr double most_operations_at_end(double training) { return std::clamp(10.0 * training, 6e10, 1.2e11); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
