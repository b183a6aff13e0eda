#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/inference/ladder_record.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/inference/machine_ladder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What Bennett's ratio needs of the rows of ladders of machines over time: of each pair of neighbors k and k + 1 the log
/// weights U_{k+1} − U_k of rows at k + 1, which lead from there to k, and U_k − U_{k+1} of rows at k, which lead back.
struct MachineRecord {
  Index num_pairs = 0, num_ladders = 0, num_times = 0;
  std::vector<double> towards, away;    ///< from and to the target: by pair, ladder, time
  std::vector<double> target_energies;  ///< U of the rows at the target: by ladder, time

  MachineRecord(Index pairs, Index ladders, Index times)
      : num_pairs(pairs),
        num_ladders(ladders),
        num_times(times),
        towards(pairs * ladders * times),
        away(pairs * ladders * times),
        target_energies(ladders * times) {}

  /// The values of time `nth`.
  void add(const MachineLadder& ladder, Index nth, const Executor& executor);
  MachineRecord without(Index ladder) const;
  /// U of the rows at the target, as the record of a ladder of one rung.
  LadderRecord at_target() const;
  std::span<const double> of_pair(const std::vector<double>& values, Index pair) const {
    return std::span(values).subspan(pair * num_ladders * num_times, num_ladders * num_times);
  }
};

/// log(Z of the target / Z of the last machine): the sum of Bennett's ratios over neighbors.
double bennett_of(const MachineRecord& record);

/// The same with the interval of the jackknife over ladders, and what the record says against it: neighbors that hardly
/// overlap, energies at the target that drift.
LogPartitionEstimate judged(const MachineRecord& record, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
