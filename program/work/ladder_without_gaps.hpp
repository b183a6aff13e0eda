#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/inference/thermal_series.hpp>
#include <harmonium/program/work/shown_temperature.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The inverse temperatures `betas` of a record with a ladder, descending, and between neighbors that hardly exchange as many more as let
/// them. Of energies that fluctuate by σ, neighbors δ apart exchange with probability erfc(δσ/2) (normal energies; Kofke 2002): δσ = 1.19
/// is 0.4. Within a gap σ is taken as linear between its ends, and no less than that of the mean of σ², which is −d⟨E⟩/dβ. A peak
/// between, as that of a transition, may be 2.3 times as high until exchanges are as few as 0.05.
std::vector<double> betas_without_gaps(const ThermalRecord& record, const std::vector<double>& betas);

/// What to do about the gaps of that record, in a sentence: the list for --betas, or --temperatures, where it is not too long to give.
std::string ladder_without_gaps(const ThermalRecord& record, const std::vector<double>& betas,
                                const ShownTemperature& shown);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
