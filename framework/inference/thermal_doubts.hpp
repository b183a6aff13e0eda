#pragma once

#include <cstdint>

#include <harmonium/framework/inference/thermal_averages.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which averages of a temperature are doubted together. Odd ones say nothing of the others (flip_symmetry.hpp); what is slow in the
/// others may be in all.
enum class Doubted : std::uint8_t { odd, all };

/// Those without a value are not: more steps would tell nothing.
void doubt(Doubted which, ThermalAverages& found);

/// Chains that differ in one average are in different places, and what they share of the others is no sign that they met all there
/// is: a susceptibility of chains that each keep to a mode of their own is precise, and far off.
void doubt_where_apart(ThermalAverages& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
