#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct LangevinOptions {
  double step_size = 0.1;
  Index inner_steps = 10;
  bool adjusted = true;
  Index tile = 0;
  void bind(OptionBinder& o);
};

/// Langevin dynamics of the continuous layers, in turn with Gibbs sampling of the discrete ones. One step first moves
/// all continuous units that are free `inner_steps` times,
///   x' = x − ε ∇U(x) + √(2ε) ξ,   U = β E + (1 − β) E₀,   ξ standard normal,
/// and then redraws each block of the discrete layers from its exact conditional (for a Gaussian-binary RBM the
/// Gibbs-Langevin sampler of Liao, Kornblith, Ren, Fleet & Hinton 2022). ε is the step size, in squared units of x.
///
/// Adjusted (MALA: Roberts & Tweedie 1996, Bernoulli 2, 341), a move is accepted with probability
///   min(1, e^{U(x) − U(x')} q(x | x') / q(x' | x)),   q(y | x) the normal density of mean x − ε ∇U(x) and variance 2ε,
/// so that the target is invariant whatever the step size. The report's acceptance is the mean over chains and moves;
/// about 0.57 mixes best in many dimensions (Roberts & Rosenthal 1998). Not adjusted (ULA), it draws from a law that is
/// off by O(ε), diverges where ε is too large for the curvature of U, and its acceptance is 1 by definition.
///
/// Energy and state gradient suffice for a model whose layers are all continuous. Held layers and units do not move and
/// are no part of a proposal.
class Langevin final : public Sampler {
 public:
  using Options = LangevinOptions;
  explicit Langevin(Options options = {}) : options_(options) {}

  /// Throws CapabilityError where no layer is continuous, the model or the base offers no state gradient, or there are
  /// discrete layers without block conditionals; and, not adjusted, for units of a bounded domain.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
