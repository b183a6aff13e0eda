#pragma once

#include <memory>
#include <vector>

#include <harmonium/estimators/centering.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A positive and a negative phase, centered or not: what every estimator of the likelihood's gradient is made of. Internal to
/// this folder.
class PhasePair {
 public:
  /// Throws ConfigError, in the name of `estimator`, where a phase is missing.
  PhasePair(const char* estimator, std::unique_ptr<PhaseEstimator> positive, std::unique_ptr<PhaseEstimator> negative,
            const CenteringOptions& centering);

  void check(const EnergyModel& model) const;
  /// As Centering has it.
  void see_double(LayerSet layers) {
    if (centering_) centering_->see_double(layers);
  }
  void begin(const EnergyModel& model, const DataOutline& data);
  Value resolved(const Value& effective, const EnergyModel& model) const;
  /// gradient = positive phase of `model` and `data` minus negative phase of `other` and `beside`.
  GradientEstimator::Report estimate(const EnergyModel& model, const DataBatch& data, const EnergyModel& other,
                                     const DataBatch& beside, std::span<Real> gradient, const Execution& execution);
  /// As BurnsIn has it, of the negative phase.
  bool burn_in(Index steps);
  /// As ShardEstimator has them.
  void take(const EnergyModel& model, const Shard& shard);
  void join(const PhasePair& first) { centering_ = first.centering_; }
  Index num_sums(const EnergyModel& model) const { return centering_ ? Centering::num_sums(model) : 0; }
  GradientEstimator::Report estimate_shard(const EnergyModel& model, const DataBatch& data, const EnergyModel& other,
                                           const DataBatch& beside, const WholeBatch& whole, std::span<Real> gradient,
                                           std::span<Real> sums, const Execution& execution);
  void finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient, std::span<const Real> sums,
              const Executor& executor);
  void phases_state(StateArchive& archive);
  void common_state(StateArchive& archive);
  double products(const EnergyModel& model, Index rows) const;
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const;
  Figures figures(const EnergyModel& model) const;
  /// Into the estimator's own group.
  void state(StateArchive& archive);

 private:
  GradientEstimator::Report add_phases(const EnergyModel& model, const DataBatch& data, const EnergyModel& other,
                                       const DataBatch& beside, std::span<Real> gradient, std::span<Real> sums,
                                       const Execution& execution);

  std::unique_ptr<PhaseEstimator> positive_, negative_;
  std::shared_ptr<Centering> centering_;  ///< null: not centered; one for all shards
  std::vector<Real> sums_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
