#include <harmonium/framework/inference/slowest_time.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/diagnostics/block_jackknife.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double least_rate_of_joined = 0.01;

/// The longest time of all averages, in steps.
double slowest_time(std::span<const ThermalAverages> found) {
  double slowest = 1.0;
  for (const ThermalAverages& t : found)
    for (const auto* averages : {&t.averages, &t.correlations})
      for (const ThermalAverage& a : *averages) slowest = std::max(slowest, a.time);
  return slowest;
}

void doubt_joined(std::span<ThermalAverages> joined) {
  for (ThermalAverages& t : joined)
    for (auto* averages : {&t.averages, &t.correlations})
      for (ThermalAverage& a : *averages)
        if (std::isfinite(a.value)) a.long_enough = false;  // of those without a value more steps tell nothing
}

}  // namespace

Index least_times_of_chain(Index num_chains) {
  return std::max<Index>(50, 10 * BlockJackknife::usual_blocks(num_chains));
}

void doubt_by_slowest(const ThermalRecord& record, std::span<ThermalAverages> found) {
  for (Index first = 0, next = 0; first < found.size(); first = next) {
    next = first + 1;
    while (record.ladder && next < found.size() && record.ladder->rate(next - 1) >= least_rate_of_joined) ++next;
    const std::span<ThermalAverages> joined = found.subspan(first, next - first);
    const ThermalSeries& series = record.temperatures[first];
    if (static_cast<double>(least_times_of_chain(series.num_chains)) * slowest_time(joined) >
        static_cast<double>(series.num_steps))
      doubt_joined(joined);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
