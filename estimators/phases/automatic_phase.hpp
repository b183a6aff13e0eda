#pragma once

#include <memory>
#include <optional>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct AutomaticPhaseOptions {
  bool sampled = false;
  std::unique_ptr<PhaseEstimator> coupled = {};
  void bind(OptionBinder& o);
};

/// The positive phase that the model calls for: `posterior_mean` (with its option `sampled`) where the units that were
/// not seen are independent given those that were, else the phase `coupled`. Which one is a function of the model and of
/// whether entries of the data are missing; its numbers and its state are those of the phase chosen.
class AutomaticPhase final : public PhaseEstimator, public ShardPhase {
 public:
  using Options = AutomaticPhaseOptions;
  explicit AutomaticPhase(Options options);

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel& model, Phase phase, const DataOutline& data) override;
  Value resolved(const Value& effective, const EnergyModel& model, Phase phase) const override;
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel& model) const override { return chosen(model, missing_).figures(model); }
  void state(StateArchive& archive) override;
  void take(const EnergyModel& model, Phase phase, const Shard& shard) override;
  void begin_batch(const WholeBatch& whole) override;

 private:
  PhaseEstimator& chosen(const EnergyModel& model, bool missing) const;
  static ShardPhase& cut(PhaseEstimator& phase);
  void check_chosen(const EnergyModel& model, bool missing) const;

  bool sampled_, missing_ = false;
  std::optional<Shard> shard_;
  std::unique_ptr<PhaseEstimator> factorized_, coupled_;
  PhaseEstimator* begun_ = nullptr;  ///< the chosen one of these; null before `begin`
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
