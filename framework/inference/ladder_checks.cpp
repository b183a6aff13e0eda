#include <harmonium/framework/inference/ladder_checks.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void object_to_drift(const LadderRecord& record, LogPartitionEstimate& result) {
  constexpr double false_alarm = 0.01;
  const Index half = record.num_times / 2;
  if (half == 0 || record.num_ladders < 4) return;
  std::vector<double> changes;
  for (Index l = 0; l < record.num_ladders; ++l) {
    const std::span<const double> all = record.at(0).subspan(l * record.num_times, record.num_times);
    changes.push_back(mean_of_groups(all.last(half)).mean - mean_of_groups(all.first(half)).mean);
  }
  const Mean change = mean_of_groups(changes);
  const double error = std::sqrt(change.variance_of_mean);
  if (std::abs(change.mean) <= half_interval(static_cast<double>(changes.size()), false_alarm) * error) return;
  result.object(
      fmt::format("the ladders' energies still change, by {:.3g} ± {:.2g} from the first half of the times to the "
                  "second",
                  change.mean, error));
}

void object_to_visited(const LadderRecord& record, double end, LogPartitionEstimate& result) {
  std::vector<double> energies(record.differences);
  std::ranges::sort(energies);
  std::vector<double> weights;
  double last = -std::numeric_limits<double>::infinity();
  for (const double e : energies) {
    const double rounding = 1e-9 * (1.0 + std::abs(e));  // energies that lie closer may be of one state
    if (e - last <= rounding) continue;
    weights.push_back(-end * e);
    last = e;
  }
  const double least = logsumexp(weights);
  if (!(least > result.high)) return;
  result.high = least;
  result.object(fmt::format("the states that ladders met alone have a log Z of {:.3f}", least));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
