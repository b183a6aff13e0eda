#pragma once

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Warns of where a ladder does not connect its temperatures, with what to do about it.
void warn_of_gaps(const LadderReport& ladder, Display& display);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
