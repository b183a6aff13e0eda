#pragma once

#include <memory>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct TopDownOptions {
  std::unique_ptr<Sampler> sampler = {};
  void bind(OptionBinder& o);
};

/// Of a stack of machines (stacked_machines.hpp): a step is one of the inner sampler on the top machine; the layers below are
/// then drawn anew, each given the one above it, once a call (Hinton, Osindero & Teh 2006, section 2). Whatever these layers
/// held before plays no part. Nothing can be held, and the target is at β = 1, since the law below the top is no Markov field.
///
/// A chain's draws depend on its number and step only.
class TopDown final : public Sampler {
 public:
  using Options = TopDownOptions;
  /// Throws ConfigError without an inner sampler, or for one with temperatures of its own.
  explicit TopDown(Options options);

  Index adaptation_steps() const override { return options_.sampler->adaptation_steps(); }
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override { return options_.sampler->products_per_step(); }
  void memory(const EnergyModel& model, MemoryNeed& need) const override;
  void state(StateArchive& archive) override { options_.sampler->state(archive); }

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
