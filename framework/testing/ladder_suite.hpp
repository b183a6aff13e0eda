#pragma once

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// The exact-start test of a sampler with temperatures of its own, of a target at the ladder's first beta, on a small model
/// of discrete units: the rows of each logical chain are drawn independently from the exact laws of their rungs, of which
/// `ladder` says the temperatures and the base, make three transitions, and are counted at the rungs where they end. Every
/// rung must keep its law, whatever mixes. Counting at the target alone would not do: what is wrong at the other rungs comes
/// there late and diluted.
ChiSquare laws_of_rungs(Sampler& sampler, const EnergyModel& model, const LadderReport& ladder, Index draws);

/// The above, of an adapted sampler, by the ladder that it reports. Of one that reports none, or rungs at one
/// temperature, which are laws of other machines, only the target's law can be known: its chains must come to that.
void check_ladder(Sampler& sampler, const EnergyModel& model, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
