#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct MetropolisOptions {
  double scale = 2.4;
  double rest_probability = 0.1;
  Index tile = 0;
  void bind(OptionBinder& o);
};

/// The Metropolis algorithm (Metropolis, Rosenbluth, Rosenbluth, Teller & Teller 1953), single units: one step visits
/// every unit once, block by block. A discrete unit proposes one of its other states, drawn uniformly, a continuous one
/// x + scale · z, z standard normal; it moves with probability min(1, exp(−β ΔE)). Units of a block are independent
/// given the rest, so all of a block propose at once.
///
/// A unit of two states whose field is zero would move every time it proposes. In a scan of fixed order some states then lead to
/// each other alone, as in a ring of spins without a field at any temperature, and chains never forget which of these they began
/// in. Therefore a discrete unit stays without a proposal with probability `rest_probability`, by which each state leads to each
/// other. 0 is the algorithm of the books.
///
/// A scale of 2.4 standard deviations mixes a normal unit best (Gelman, Roberts & Gilks 1996); the default is that for a
/// conditional variance of 1, and a proposal outside the unit's domain is refused. The report's acceptance is the
/// fraction of proposals that were accepted, of continuous units alone where there are some that move: that of discrete
/// ones says how sharp their conditionals are, and nothing of the scale.
class Metropolis final : public Sampler {
 public:
  using Options = MetropolisOptions;
  explicit Metropolis(Options options = {}) : options_(options) {}

  /// Throws CapabilityError where the model or the base offers no block conditionals.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
