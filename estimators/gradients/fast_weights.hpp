#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <harmonium/estimators/gradients/phase_pair.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/burned_in.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct FastWeightsOptions {
  double fast_learning_rate = 0.01;
  double fast_decay = 0.95;
  std::unique_ptr<PhaseEstimator> positive = {}, negative = {};
  bool centering = false;
  double offset_rate = CenteringOptions{}.offset_rate;

  static void bind_rates(OptionBinder& o, double& rate, double& decay);
  void bind(OptionBinder& o);
  void validate() const { CenteringOptions{centering, offset_rate}.validate(); }
};

/// The likelihood gradient with fast weights in the negative phase (Tieleman & Hinton 2009, section 4): the negative phase
/// is that of a model with the parameters θ + φ, and after each estimate g
///   φ ← decay · φ − fast_learning_rate · g,
/// so that φ digs up the ground under persistent chains and drives them on. Biased, as the negative phase is not the
/// model's own: by the difference of ⟨∂E/∂θ⟩ under θ + φ and under θ. Biases and couplings have fast weights,
/// precisions have none.
class FastWeights final : public GradientEstimator, public ShardEstimator, public BurnsIn {
 public:
  using Options = FastWeightsOptions;
  explicit FastWeights(Options options);

  void check(const EnergyModel& model) const override { phases_.check(model); }
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
  void state(StateArchive& archive) override;

  void take(const EnergyModel& model, const Shard& shard) override { phases_.take(model, shard); }
  void join(ShardEstimator& first) override;
  Index num_sums(const EnergyModel& model) const override { return phases_.num_sums(model); }
  Report estimate_shard(const EnergyModel& model, const DataBatch& rows, const WholeBatch& whole,
                        std::span<Real> gradient, std::span<Real> sums, const Execution& execution) override;
  void finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient, std::span<const Real> sums,
              const Executor& executor) override;
  void shard_state(StateArchive& archive) override { phases_.phases_state(archive); }
  void common_state(StateArchive& archive) override;

  /// φ as it stands; empty before the first estimate.
  std::span<const Real> fast() const { return fast_; }

 private:
  /// Puts θ + φ into the model of the negative phase.
  void shift(const EnergyModel& model);
  void follow(std::span<const Real> gradient);

  double rate_, decay_;
  PhasePair phases_;
  std::shared_ptr<EnergyModel> shifted_;  ///< one for all shards, the first of which moves it
  bool first_ = true;
  std::vector<Real> fast_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
