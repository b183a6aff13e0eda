#pragma once

#include <memory>
#include <optional>

#include <harmonium/estimators/gradients/phase_pair.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/burned_in.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct ContrastiveOptions {
  std::unique_ptr<PhaseEstimator> positive = {}, negative = {};
  bool centering = false;
  double offset_rate = CenteringOptions{}.offset_rate;

  void bind(OptionBinder& o) {
    o.component("positive", positive, "expectation over the data's posterior", "automatic");
    o.component("negative", negative, "expectation over the model", "chains");
    CenteringOptions::bind(o, centering, offset_rate);
  }
  void validate() const { CenteringOptions{centering, offset_rate}.validate(); }
};

/// The gradient of the negative log likelihood as the difference of two expectations of ∂E/∂θ (Bengio & Delalleau 2009,
/// equations 2.6 and 2.11): positive phase minus negative phase. Contrastive divergence, stochastic maximum likelihood
/// and naive MCMC are choices of its negative phase.
class Contrastive final : public GradientEstimator, public ShardEstimator, public BurnsIn {
 public:
  using Options = ContrastiveOptions;
  explicit Contrastive(Options options);

  void check(const EnergyModel& model) const override { phases_.check(model); }
  void begin(const EnergyModel& model, const DataOutline& data) override { phases_.begin(model, data); }
  Value resolved(const Value& effective, const EnergyModel& model) const override {
    return phases_.resolved(effective, model);
  }
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override { return phases_.products(model, rows); }
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override {
    phases_.memory(model, rows, need);
  }
  Figures figures(const EnergyModel& model) const override { return phases_.figures(model); }
  bool burn_in(Index steps) override { return phases_.burn_in(steps); }
  void state(StateArchive& archive) override { phases_.state(archive); }

  void take(const EnergyModel& model, const Shard& shard) override { phases_.take(model, shard); }
  void join(ShardEstimator& first) override { phases_.join(dynamic_cast<Contrastive&>(first).phases_); }
  Index num_sums(const EnergyModel& model) const override { return phases_.num_sums(model); }
  Report estimate_shard(const EnergyModel& model, const DataBatch& rows, const WholeBatch& whole,
                        std::span<Real> gradient, std::span<Real> sums, const Execution& execution) override {
    return phases_.estimate_shard(model, rows, model, rows, whole, gradient, sums, execution);
  }
  void finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient, std::span<const Real> sums,
              const Executor& executor) override {
    phases_.finish(model, whole, gradient, sums, executor);
  }
  void shard_state(StateArchive& archive) override { phases_.phases_state(archive); }
  void common_state(StateArchive& archive) override { phases_.common_state(archive); }

 private:
  PhasePair phases_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
