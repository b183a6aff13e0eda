#pragma once

#include <memory>
#include <span>
#include <vector>

#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a walk along temperatures leaves.
struct AnnealedWalk {
  std::vector<double> log_weights;  ///< of each row, in nats
  std::vector<double>
      deviations;  ///< standard deviation of D = E − E₀ over the rows of a group, at each β but the last
};

/// Annealed importance sampling (Neal 2001): rows that follow the target at betas.front() walk to betas.back(). Of each step
/// from β to β' a row's log weight gains (β − β') D(x), D = E − E₀; then `sampler` makes one transition at β', but for the
/// last step, which needs none. E[e^w] = Z(betas.back()) / Z(betas.front()) for any sampler that leaves each law as it is.
/// The same betas backward with the sampler's reversal is the walk's reversal. β is rounded as kernels take it.
/// `group` neighbors follow one law, others other ones where other units are held (0: all follow one).
/// Throws Stopped as executors do.
AnnealedWalk anneal(Target target, std::span<const double> betas, Sampler& sampler, Chains& chains,
                    const Execution& execution, Index group = 0);

/// The law at β = 0, which factorizes: independent units with biases (and precisions) of their own.
class AnnealingBase {
 public:
  /// Every state alike; of continuous units a Gaussian with four times the variance that the model's own precision gives.
  static AnnealingBase uniform(const EnergyModel& model);
  /// Each unit with the mean that it has in `rows`.
  static AnnealingBase marginals(const EnergyModel& model, const Chains& rows);

  const FactorialBase& law() const { return *base_; }
  /// What Target takes: null where E₀ = 0 throughout.
  const EnergyModel* model() const { return trivial_ ? nullptr : base_.get(); }
  /// Draws every unit of every row that is not held.
  void draw(const HeldMask* held, const RandomSource& random, Chains& chains) const;
  /// log Σ over the free units of exp(−E₀), held ones as they are in the row.
  std::vector<double> log_partitions(const HeldMask* held, const Chains& chains) const;

 private:
  AnnealingBase(const EnergyModel& model, bool trivial)
      : base_(std::make_unique<FactorialBase>(model)), trivial_(trivial) {}
  std::unique_ptr<FactorialBase> base_;
  bool trivial_;
};

/// `num` inverse temperatures from 0 to `end` between which D has equal parts of the path's length ∫ sd(D) dβ, as a walk over
/// `betas` has measured it: the least variance of log weights for so many steps (Gelman & Meng 1998; Neal 2001).
std::vector<double> spaced_by_length(std::span<const double> betas, std::span<const double> deviations, Index num);
/// ∫ sd(D) dβ over the walk's betas.
double path_length(std::span<const double> betas, std::span<const double> deviations);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
