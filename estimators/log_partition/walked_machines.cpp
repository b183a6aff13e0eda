#include <harmonium/estimators/log_partition/walked_machines.hpp>

#include <algorithm>
#include <vector>

#include <harmonium/framework/inference/ladder_checks.hpp>
#include <harmonium/framework/inference/ladder_record.hpp>
#include <harmonium/framework/inference/model_draws.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Ladders whose walk goes on, and the round trips that they make in each part of it.
class WalkingMachines {
 public:
  WalkingMachines(MachineLadder& ladder, Index longest, Sampler& sampler, const Execution& execution)
      : ladder_(ladder), longest_(longest), sampler_(sampler), execution_(execution), tally_(ladder.rungs()) {
    tally_.last_end.assign(ladder.num_ladders() * ladder.rungs(), ExchangeTally::neither);
  }
  /// Returns the round trips of all ladders; `record`, null for none, is filled evenly over the time.
  std::uint64_t walk(Index steps, MachineRecord* record) {
    LadderReport report = empty_report(std::vector<double>(ladder_.rungs(), 1.0));
    tally_.count_trips(ladder_.num_ladders());
    Index recorded = 0;
    for (Index t = 1; t <= steps; ++t) {
      ladder_.exchange(done_++, execution_, tally_, report);
      ladder_.move(1, sampler_, execution_);
      execution_.executor.check_stop();
      if (record && t * record->num_times / steps > recorded) record->add(ladder_, recorded++, execution_.executor);
      if (execution_.display)
        execution_.display->progress(std::min(1.0, static_cast<double>(done_) / static_cast<double>(longest_)), "");
    }
    return report.round_trips;
  }
  std::uint64_t least_trips() const { return tally_.least_trips(); }

 private:
  MachineLadder& ladder_;
  Index longest_;
  Sampler& sampler_;
  const Execution& execution_;
  ExchangeTally tally_;
  Index done_ = 0;
};

}  // namespace

WalkedMachines walk_machines(MachineLadder& ladder, Index half, double longer, Sampler& sampler,
                             const Execution& execution) {
  const Index first_half = half, longest = 2 * LadderPlan::most_times_longer * half;
  const Index rungs = ladder.rungs(), ladders = ladder.num_ladders();
  WalkingMachines walking(ladder, longest, sampler, execution);
  bool looked = false;
  walking.walk(half, nullptr);
  for (Index walked = half;; walked += half, half = walked) {
    const Index times_longer = half / first_half;
    const Index times = recorded_times(ladders * rungs, half, longer * static_cast<double>(times_longer));
    WalkedMachines found{MachineRecord(rungs - 1, ladders, times), rungs};
    found.round_trips = walking.walk(half, &found.record);
    found.least_round_trips = walking.least_trips();
    const bool enough = found.least_round_trips >= LadderPlan::enough_round_trips;
    const bool again = enough && !looked && at_odds(found.record.at_target());  // once, as DrawingLadders
    looked = looked || enough;
    if ((enough && !again) || walked + 2 * half > longest) return found;
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
