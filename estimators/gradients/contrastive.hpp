#pragma once

#include <memory>
#include <optional>

#include <harmonium/estimators/gradients/phase_pair.hpp>
#include <harmonium/framework/config/options.hpp>
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
class Contrastive final : public GradientEstimator {
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
  void state(StateArchive& archive) override { phases_.state(archive); }

 private:
  PhasePair phases_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
