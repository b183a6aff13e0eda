#pragma once

#include <optional>

#include <harmonium/framework/pictures/logged_curves.hpp>

namespace harmonium {
inline namespace v1 {

/// Where a figure of which more is better went.
struct Trend {
  bool moves = false;   ///< over the second half of the points, beyond their scatter and a twentieth of the whole range
  double change = 0.0;  ///< over that half, by a straight line
  double share = 0.0;   ///< of the whole range
  double last = 0.0, best = 0.0;
  std::optional<double> best_epoch;  ///< an earlier one, where the best is above the last beyond the scatter
};

/// Nothing of fewer than eight points. The line's slope must be three standard errors from 0.
std::optional<Trend> trend_of(const LoggedCurve& curve);

}  // namespace v1
}  // namespace harmonium
