#pragma once

#include <algorithm>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Independent groups of draws of a model, by −log of a density but for log Z, in nats: that of the model itself and that of another.
struct DrawnEnergies {
  std::vector<double> own, other;
  Index group = 1;            ///< neighbors that share their luck
  bool starts_apart = false;  ///< whether every other group is of a ladder that began low (CertifiedDraws)
};

/// What draws of two models say of log(Z_one / Z_other), in nats, with a 95 % interval.
struct RatioOfDraws {
  double log_ratio = 0.0;
  double error = 0.0;  ///< one standard error
  double low = 0.0, high = 0.0;
  double counting = 0.0;  ///< draws of the worse side that count
  Index draws = 0;        ///< of the side that has fewer

  /// The error is told from those that count: a quarter, or 50 where there are more draws than 200. Of fewer than a twentieth it hangs on
  /// what is seldom drawn, however many there are.
  double enough() const {
    const auto all = static_cast<double>(draws);
    return std::max(0.05 * all, std::min(0.25 * all, 50.0));
  }
  bool overlap() const { return counting >= enough(); }
};

}  // namespace v1

inline namespace HARMONIUM_ABI {

/// Bennett's acceptance ratio (1976) between two laws p_k ∝ exp(−U_k): of draws of the one the weights U_one − U_other, which lead to the
/// other, and the reverse. What both have in common, such as the shares of modes, cancels in the weights, where each log Z alone errs
/// by it. The draws of the one must be independent of those of the other. The interval reaches to what ladders of each start say alone.
/// Throws NumericalError for an energy that is no finite number.
RatioOfDraws ratio_of_draws(const DrawnEnergies& one, const DrawnEnergies& other);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
