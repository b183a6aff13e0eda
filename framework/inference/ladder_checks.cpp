#include <harmonium/framework/inference/ladder_checks.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double outside_by_chance = 0.01;

std::span<const double> at_target(const LadderRecord& record, Index ladder) {
  return record.at(0).subspan(ladder * record.num_times, record.num_times);
}

bool began_low(const LadderRecord& record, Index ladder) { return record.starts_apart && ladder % 2 == 1; }

}  // namespace

void object_to_drift(const LadderRecord& record, LogPartitionEstimate& result) {
  const Index half = record.num_times / 2;
  if (half == 0 || record.num_ladders < 4) return;
  std::vector<double> changes;
  for (Index l = 0; l < record.num_ladders; ++l) {
    const std::span<const double> all = at_target(record, l);
    const double change = mean_of_groups(all.last(half)).mean - mean_of_groups(all.first(half)).mean;
    changes.push_back(began_low(record, l) ? -change : change);
  }
  const Mean change = mean_of_groups(changes);
  const double error = std::sqrt(change.variance_of_mean);
  if (std::abs(change.mean) <= half_interval(static_cast<double>(changes.size()), outside_by_chance) * error) return;
  result.object(
      fmt::format("the ladders' energies still change, by {:.3g} ± {:.2g} from the first half of the times to the "
                  "second",
                  change.mean, error));
}

void object_to_starts(const LadderRecord& record, LogPartitionEstimate& result) {
  if (!record.starts_apart || record.num_ladders < 4 || record.num_times == 0) return;
  std::vector<double> hot, low;
  for (Index l = 0; l < record.num_ladders; ++l)
    (began_low(record, l) ? low : hot).push_back(mean_of_groups(at_target(record, l)).mean);
  const Mean of_hot = mean_of_groups(hot), of_low = mean_of_groups(low);
  // One variance of both, by all their degrees of freedom.
  const auto squares = [](const std::vector<double>& v, const Mean& m) {
    const auto n = static_cast<double>(v.size());
    return m.variance_of_mean * n * (n - 1.0);
  };
  const auto n = static_cast<double>(hot.size()), m = static_cast<double>(low.size());
  const double variance = (squares(hot, of_hot) + squares(low, of_low)) / (n + m - 2.0);
  const double apart = of_low.mean - of_hot.mean, error = std::sqrt(variance * (1.0 / n + 1.0 / m));
  if (std::abs(apart) <= half_interval(n + m - 1.0, outside_by_chance) * error) return;
  result.object(
      fmt::format("ladders that began at the lowest state that was met and those that began hot do not agree: their "
                  "energies are {:.3g} ± {:.2g} apart",
                  apart, error));
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
