#pragma once

#include <optional>
#include <span>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What training has left of the gradient of its objective.
struct GradientLeft {
  bool of_likelihood = false;  ///< of that of the log likelihood; else of the estimator's own
  Index rows = 0;              ///< that it is the mean over: all of them
  double norm = 0.0;           ///< Euclidean, of the mean; without what draws of the estimator's own add to it
  double chance = 0.0;         ///< of the same at the parameters that the rows were drawn from: √(tr Cov / rows)

  double ratio() const { return norm / chance; }
  /// At the optimum the norm is 0, and at the law itself it is what chance makes of it. From half of that on the way that is left to
  /// the optimum counts beside the statistical error of the optimum; flat directions, which gradients hardly see, have more of it.
  bool converged() const { return norm <= 0.5 * chance; }
};

/// Of a model without latent units: of what the estimator of the effective configuration `config` follows, or, where that is the
/// likelihood, whatever chains it takes, of this, by enumeration, if that takes no more than about a second. `own`: the values of what
/// the estimator learns beside θ, of which the gradient is looked at too. The covariance is that of the gradients of 16 parts of the rows.
///
/// An objective that draws at each visit (the noise of `noise_contrastive`) is that of the mean over draws: each part has R estimates,
/// 2 to 16 as the time allows, and with w their variance in a part times its rows, mean over parts, E|ḡ|² = |E g|² + w/(R·rows), and
/// parts of R estimates scatter by w/R more than by chance. Both are taken off. Nothing if they are more than a quarter of what is left.
///
/// Nothing where a regularizer moves the optimum, rows are weighed or incomplete, all alike, fewer than 160 or so many that they would
/// take long, or no estimator serves.
std::optional<GradientLeft> gradient_left(const EnergyModel& model, const Dataset& train, const Value& config,
                                          std::span<const Real> own, const Registries& registries,
                                          const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
