#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct FlipTheStateOptions {
  double gibbs_probability = 0.1;
  Index tile = 0;
  void bind(OptionBinder& o);
};

/// Metropolised Gibbs sampling (Liu 1996, Biometrika 83, 681; for binary units the flip-the-state operator of Brügge,
/// Fischer & Igel 2013, Machine Learning 93, 53): one step visits every unit once, block by block. A unit in state s
/// proposes one of its other states t, drawn from their conditional law p(t) / (1 − p(s)), and accepts it with
/// probability min(1, (1 − p(s)) / (1 − p(t))). It leaves a state more often than Gibbs sampling does, so that averages
/// over a chain whose units are visited at random have a smaller variance (Peskun 1973).
///
/// Where two states are equally likely a unit always moves, and chains alternate: so with probability
/// `gibbs_probability` it is drawn from its conditional instead. With all fields zero the product of two units then has
/// an autocorrelation time of about 1/gibbs_probability steps, while of the gain over Gibbs sampling at most that
/// fraction is lost: hence a default of a tenth, not less.
///
/// Continuous layers, of a model that has discrete ones too, are drawn from their conditionals. The report's acceptance
/// is the fraction of proposals that were accepted; draws from conditionals are not proposals.
class FlipTheState final : public Sampler {
 public:
  using Options = FlipTheStateOptions;
  explicit FlipTheState(Options options = {}) : options_(options) {}

  /// Throws CapabilityError where the model or the base offers no block conditionals, or no layer is discrete.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
