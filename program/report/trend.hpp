#pragma once

#include <optional>

#include <harmonium/framework/pictures/logged_curves.hpp>

namespace harmonium {
inline namespace v1 {

/// Where a figure of which more is better went.
struct Trend {
  /// Over the second half of the points. moves: by more than a twentieth of the whole range, and more than their scatter leaves
  /// open; rests: by less than a tenth, whatever it leaves open; else their scatter hides it.
  enum class State { rests, moves, hidden } state = State::hidden;
  double change = 0.0;  ///< over that half, by a straight line
  double share = 0.0;   ///< of the whole range
  double end = 0.0;     ///< of that line
  double best = 0.0;
  std::optional<double> best_epoch;  ///< an earlier one, where the best is above that end by more than scatter makes it
};

/// Nothing of fewer than eight points. What scatter leaves open: three standard errors of the line's slope. A curve at rest has a
/// `best_epoch` in at most 0.27 % of cases, by any number of points (Student's law and Bonferroni's bound).
std::optional<Trend> trend_of(const LoggedCurve& curve);

}  // namespace v1
}  // namespace harmonium
