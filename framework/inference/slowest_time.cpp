#include <harmonium/framework/inference/slowest_time.hpp>

#include <algorithm>

#include <harmonium/framework/diagnostics/block_jackknife.hpp>
#include <harmonium/framework/diagnostics/windowed_time.hpp>
#include <harmonium/framework/inference/thermal_doubts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Index least_times_of_chain(Index num_chains) {
  return std::max<Index>(50, 10 * BlockJackknife::usual_blocks(num_chains));
}

bool goes_round_seldom(const LadderReport& ladder, Index num_chains) {
  return ladder.round_trips < least_round_trips * num_chains;
}

void doubt_short(const ThermalSeries& series, ThermalAverages& found) {
  if (series.num_steps >= least_steps_of_errors) return;
  doubt(Doubted::all, found);
  for (auto* averages : {&found.averages, &found.correlations})
    for (ThermalAverage& a : *averages) a.windowed_time.reset();
}

void doubt_by_slowest(const ThermalSeries& series, const LadderReport* ladder, ThermalAverages& found) {
  constexpr double of_seldom_renewed = 4.0;
  const double times = static_cast<double>(least_times_of_chain(series.num_chains)) *
                       (ladder && goes_round_seldom(*ladder, series.num_chains) ? of_seldom_renewed : 1.0);
  const double longest = static_cast<double>(series.num_steps) / times;
  for (const auto* averages : {&found.averages, &found.correlations, &found.witnesses})
    for (const ThermalAverage& a : *averages)
      if (a.time > longest) doubt(a.odd ? Doubted::odd : Doubted::all, found);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
