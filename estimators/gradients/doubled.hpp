#pragma once

#include <memory>

#include <harmonium/estimators/gradients/doubled_conditionals.hpp>
#include <harmonium/estimators/gradients/phase_pair.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/burned_in.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct DoubledGradientOptions {
  Doubled units = Doubled::observed;
  std::unique_ptr<PhaseEstimator> negative = {};
  bool centering = false;
  double offset_rate = CenteringOptions{}.offset_rate;

  void bind(OptionBinder& o);
  void validate() const { CenteringOptions{centering, offset_rate}.validate(); }
};

/// How a restricted machine is trained that will be a part of a deep Boltzmann machine (Salakhutdinov & Hinton 2009, section
/// 3.2): ⟨x_a x_bᵀ⟩ with the latent units given the data, minus the same of chains, both by conditionals in which one side counts
/// twice for the other (doubled_conditionals.hpp), as it stands in for the layer beyond, which is not there yet. No loss has this
/// gradient: the conditionals are of no common law.
class DoubledGradient final : public GradientEstimator, public ShardEstimator, public BurnsIn {
 public:
  using Options = DoubledGradientOptions;
  explicit DoubledGradient(Options options);

  void check(const EnergyModel& model) const override;
  void begin(const EnergyModel& model, const DataOutline& data) override;
  Value resolved(const Value& effective, const EnergyModel& model) const override {
    return phases_.resolved(effective, model);
  }
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override { return phases_.products(model, rows); }
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel& model) const override { return phases_.figures(model); }
  bool burn_in(Index steps) override { return phases_.burn_in(steps); }
  void state(StateArchive& archive) override { phases_.state(archive); }

  void take(const EnergyModel& model, const Shard& shard) override { phases_.take(model, shard); }
  void join(ShardEstimator& first) override;
  Index num_sums(const EnergyModel& model) const override { return phases_.num_sums(model); }
  Report estimate_shard(const EnergyModel& model, const DataBatch& rows, const WholeBatch& whole,
                        std::span<Real> gradient, std::span<Real> sums, const Execution& execution) override;
  void finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient, std::span<const Real> sums,
              const Executor& executor) override {
    phases_.finish(model, whole, gradient, sums, executor);
  }
  void shard_state(StateArchive& archive) override { phases_.phases_state(archive); }
  void common_state(StateArchive& archive) override { phases_.common_state(archive); }

 private:
  Doubled units_;
  PhasePair phases_;
  std::shared_ptr<DoubledConditionals> doubled_;  ///< one for all shards, the first of which keeps it up to date
  bool first_ = true;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
