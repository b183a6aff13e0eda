#pragma once

#include <optional>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/eliminated_expectation.hpp>
#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct ExactPhaseOptions {
  static constexpr double most_bits = 28;
  double max_bits = EliminatedExpectation::usual_max_bits;
  void bind(OptionBinder& o) {
    o.option("max_bits", max_bits,
             "log2 of the most states that may be enumerated, or entries of an elimination's tables (8 bytes each)",
             within(0, most_bits));
  }
};

/// Either phase as an exact expectation: of the model by enumeration (of its cheapest set of layers, the others entering
/// by their conditional means), or, where these are too many states, by elimination of one unit after another; of the posterior in closed form where it factorizes and by enumeration where not.
class ExactPhase final : public PhaseEstimator, public ShardPhase {
 public:
  using Options = ExactPhaseOptions;
  explicit ExactPhase(Options options = {}) : options_(options) {}

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel& model, Phase phase, const DataOutline& data) override;
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  /// The expectation of the model is enumerated as a whole: by the first shard.
  void take(const EnergyModel&, Phase, const Shard& shard) override { shard_ = shard; }
  void begin_batch(const WholeBatch& whole) override { whole_weight_ = whole.weight; }

 private:
  std::optional<EliminatedExpectation> elimination(const EnergyModel& model) const;

  Options options_;
  std::optional<EliminatedExpectation> eliminated_;  ///< of the model that it began with
  Shard shard_;
  std::optional<double> whole_weight_;  ///< of all shards
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
