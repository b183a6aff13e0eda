#pragma once

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// That no random word serves two chains, two transitions or two halves of a batch. All chains start from one state, in every
/// transition again: where they go by words of their own, they end independently of each other, whatever the sampler does,
/// and those that share words end alike. All pairs of chains are compared, and all pairs of transitions
/// (pair_independence.hpp); some chains are a batch of their own, whose numbers go on where the first batch's end, and
/// some transitions have numbers above 2³². `sampler` has adapted itself.
void check_shared_words(Sampler& sampler, const EnergyModel& model, CheckReport& report);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
