#pragma once

#include <vector>

#include <harmonium/framework/inference/annealing.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows of the walks that measure a path.
inline constexpr Index pilot_chains = 64;
/// How many walks, or draws, must count in an acceptance ratio of two sides.
inline constexpr double enough_samples = 10.0;

/// Inverse temperatures from 0 to a target's, in steps of equal length.
struct AnnealingPath {
  std::vector<double> betas;
  double length = 0.0;  ///< ∫ sd(D) dβ: the variance of a walk's log weight is length² / steps

  /// The rungs of a tempering ladder: about one standard deviation of D apart, where neighbors exchange half of the time; or
  /// `steps` + 1 of them.
  std::vector<double> ladder(Index steps = 0) const;
};

/// How many steps a path has.
struct StepsOfPath {
  Index given = 0;        ///< 0: as many as the variance asks for
  double variance = 0.5;  ///< wanted of a log weight
  double effort = 1.0;    ///< times as many as that; but no more than 20,000 times the effort
  Index min = 100;

  Index of_length(double length) const;
};

/// The path from `base` to the target at `end`, by what two short walks measure. Their rows are those of `rows`, of which
/// what is not held is drawn from the base; `group` as anneal() has it.
AnnealingPath find_path(const AnnealingBase& base, const Target& target, double end, const StepsOfPath& steps,
                        Sampler& sampler, const Chains& rows, Index group, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
