#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct ExactPhaseOptions {
  double max_bits = 22;
  void bind(OptionBinder& o) {
    o.option("max_bits", max_bits, "log2 of the most states that may be enumerated (8 bytes each)", within(0, 28));
  }
};

/// Either phase as an exact expectation: of the model by enumeration (of its cheapest set of layers, the others entering
/// by their conditional means), of the posterior in closed form where it factorizes and by enumeration where not.
class ExactPhase final : public PhaseEstimator {
 public:
  using Options = ExactPhaseOptions;
  explicit ExactPhase(Options options = {}) : options_(options) {}

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel& model, Phase phase, const DataOutline& data) override;
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
