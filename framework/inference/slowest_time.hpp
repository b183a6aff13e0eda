#pragma once

#include <harmonium/framework/inference/thermal_averages.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How many of the longest autocorrelation time each chain must last: 50, and 10 a block of the jackknife, which is 80 of 8 chains. A
/// slow mode is in every average, and hides where its share a of the fluctuation is small: decaying within T steps it shows a time of
/// 2 a T, and errors from blocks of b steps lack T/(2 b) of themselves. At b = 10 · 2 a T that is 3 % where the slowest average has
/// a = 1, and an eighth where a = 1/5.
Index least_times_of_chain(Index num_chains);

/// How often each chain of a ladder has gone from the coldest temperature to the hottest and back where states that are only reached so
/// were met often enough for the series to show how slowly.
inline constexpr Index least_round_trips = 20;
bool goes_round_seldom(const LadderReport& ladder, Index num_chains);

/// Doubts all averages of series of fewer than least_steps_of_errors, and forgets their times.
void doubt_short(const ThermalSeries& series, ThermalAverages& found);

/// Doubts all averages of a temperature where the longest time of any of them is too long for its series; where that is only so of odd
/// ones, these. Each temperature is judged by itself: what is slow at another one is in it only by as much as its own averages show.
/// Where a ladder (null: none) goes round seldom its chains must last four times as many of that time: blocks are then shorter than
/// the valleys last that chains leave by way of the hottest alone, and show less than half of what these do to a mean.
void doubt_by_slowest(const ThermalSeries& series, const LadderReport* ladder, ThermalAverages& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
