#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/thermal_series.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// log(Z / Z) of two temperatures, in nats.
struct LogZRatio {
  double value = 0.0, error = 0.0;  ///< one standard error
  double low = 0.0, high = 0.0;     ///< an interval of 95 %, by Student's t of as many chains
};

/// What the energies of chains at several temperatures say of log Z at one beside that at another. There is one entry each for
/// all but the last of the series.
struct LogZAlong {
  std::vector<LogZRatio> from_last;  ///< log(Z of series k / Z of the last)
  std::vector<LogZRatio> from_next;  ///< log(Z of series k / Z of series k + 1)
  /// How many draws say what the series k and k + 1 differ by, Σ w_k w_{k+1} / (w_k + w_{k+1}) over all draws, w_k being the
  /// share of the law k in the mixture: of two laws that are the same half of the draws of each, of laws that do not overlap none.
  std::vector<double> overlap;
};

/// By multistate reweighting of the energies of all temperatures at once (multistate.hpp), sorted into bins so narrow that a sum
/// over them is one over draws. All numbers come from one solution, and errors are the jackknife's over chains, chain c of all
/// temperatures being one of them (a ladder of tempering, or chains apart): they know how temperatures vary together, and are far below those
/// of each log Z by itself. `series`: two or more, each of as many chains and steps, two chains or more. Where neighbors hardly overlap, as `overlap` says,
/// neither the ratio nor its error means anything. Throws NumericalError where the equations have no solution.
LogZAlong log_z_along(std::span<const ThermalSeries> series, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
