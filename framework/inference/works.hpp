#pragma once

#include <span>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What log weights of one side say of log(Z₁ / Z₀).
struct OneSided {
  double log_ratio = 0.0;
  double error = 0.0;                ///< one standard error, by the delta method
  double effective_sample_size = 0;  ///< (Σ w)² / Σ w²
};

struct Mean {
  double mean = 0.0, variance_of_mean = 0.0;
};

/// Of values of which `group` neighbors share their luck, and are independent of other groups only.
Mean mean_of_groups(std::span<const double> values, Index group = 1);
/// Half of an interval of a mean over `groups` independent groups, in its standard errors: Student's quantile. `outside`: the
/// probability that the interval leaves out.
double half_interval(double groups, double outside = 0.05);

/// log of the mean of e^w, in nats: of weights of annealed importance sampling (Neal 2001) an estimate of log(Z₁ / Z₀) that
/// is too low on average. `group` neighbors share their luck (rows of one ladder): the error is that of the means of groups.
/// Throws NumericalError for a weight that is no number.
OneSided log_mean_weight(std::span<const double> log_weights, Index group = 1);

/// log(Z₁ / Z₀) from both sides, by the acceptance ratio (Bennett 1976; Shirts, Bair, Hooker & Pande 2003): the c that
/// solves
///   Σ_f σ(w_f − c − log(n_f / n_r)) = Σ_r σ(w_r + c + log(n_f / n_r)),
/// `forward` the log weights of walks from 0 to 1, `backward` those of their reversals, from 1 to 0, and σ the logistic
/// function. `effective_sample_size` is that of the worse side, Σ σ / max(σ, ½): next to nothing where no walk of a side comes as
/// far as c, since the two sides then do not overlap, however many walks are alike.
OneSided bennett(std::span<const double> forward, std::span<const double> backward, Index group = 1);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
