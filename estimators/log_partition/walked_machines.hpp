#pragma once

#include <harmonium/estimators/log_partition/machine_record.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What ladders of machines left of the half of their walk that is used.
struct WalkedMachines {
  MachineRecord record;
  Index machines = 0;
  std::uint64_t round_trips = 0, least_round_trips = 0;  ///< of all ladders; of the one that made the fewest
};

/// Walks ladders of machines for `half` steps for nothing, and as many that are used; where a ladder made fewer round trips than
/// LadderPlan::enough_round_trips, all so far was for nothing and as many steps again are used, 16 `half` being the most in all. So it is
/// once where energies at the target drift, which in 1 of 100 cases is chance.
/// The record grows with the walk: `longer` is how many times as long as usual it was asked to be (recorded_times).
WalkedMachines walk_machines(MachineLadder& ladder, Index half, double longer, Sampler& sampler,
                             const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
