#pragma once

#include <optional>
#include <span>
#include <string>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/followed_objective.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What training has left of the gradient of its objective.
struct GradientLeft {
  Objective of = Objective::own;  ///< whose gradient it is
  Index rows = 0;                 ///< that it is the mean over: all of them
  double norm = 0.0;              ///< Euclidean, of the mean; without what draws of the estimator's own add to it
  double chance = 0.0;            ///< of the same at the parameters that the rows were drawn from: √(tr Cov / rows)
  /// The derivative of the loss where all parameters grow by one factor, gᵀθ, in standard errors: by Student's t of 15 degrees of
  /// freedom. Above 0: they are too large. NaN where it has no error.
  double along = 0.0;
  /// Of the parameters from the optimum, beside their standard errors: see DistanceLeft. Of an objective without draws, and of few enough
  /// parameters.
  std::optional<double> distance = {};
  double farthest = 0.0;           ///< of the parameter that is the farthest, where there is a distance
  std::string farthest_name = {};  ///< "weight.visible.visible (3, 7)", places from 0

  double ratio() const { return norm / chance; }
  /// At the optimum the norm is 0, and at the law itself it is what chance makes of it. From half of that on the way that is left to
  /// the optimum counts beside the statistical error of the optimum; flat directions, which gradients hardly see, have more of it. A
  /// third of a standard error is asked of `distance`, where it is known, which sees those too, and one of the farthest parameter.
  ///
  /// A stand-in's norm is not 0 at the optimum of the likelihood. With s the mean gradient of the likelihood at the true parameters, I
  /// its covariance in one row, and g, J those of the stand-in, whose mean curvature H is Cov(g, s), it is there g − H I⁻¹ s but for terms
  /// of order 1/rows, of the covariance (J − H I⁻¹ H)/rows: no more than chance in any direction. So 1 takes the place of a half, and
  /// `off_along` counts too: that direction is seen where many others hide it in the norm.
  bool converged() const;
  /// Whether `along` is larger than chance makes it in 1 of 1,000 cases.
  bool off_along() const;
};

/// Of a model without latent units: of what the estimator of the effective configuration `config` follows; where that is the
/// likelihood, whatever chains it takes, of this, by enumeration, if that takes no more than about a second, and else of the pseudo
/// likelihood. `own`: the values of what the estimator learns beside θ, of which the gradient is looked at too. The covariance is that of
/// the gradients of 16 parts of the rows; of more of them for `distance`.
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
