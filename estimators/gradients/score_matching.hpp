#pragma once

#include <vector>

#include <harmonium/estimators/gradients/sum_over_rows.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct ScoreMatchingOptions {
  void bind(OptionBinder&) {}
};

/// Score matching (Hyvärinen 2005, equation 4) of continuous observed units, latent ones summed out: with ψ = −∂F/∂x,
///   L = Σ_r w_r [½ |ψ(x_r)|² + Σ_j ∂ψ_j(x_r)/∂x_j],
/// which is half the mean squared distance of ψ from the data's own score, but for a constant. log Z cancels, nothing is
/// drawn, and the gradient is exact.
class ScoreMatching final : public GradientEstimator, public SumOverRows<ScoreMatching> {
 public:
  using Options = ScoreMatchingOptions;
  explicit ScoreMatching(Options) {}

  void check(const EnergyModel& model) const override;
  void begin(const EnergyModel& model, const DataOutline& data) override;
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel&, Index rows) const override { return 8.0 * static_cast<double>(rows); }
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override { return {.loss = true}; }
};

struct DenoisingScoreMatchingOptions {
  double noise = 0.1;
  void bind(OptionBinder& o) {
    o.option("noise", noise, "standard deviation of the noise that is added to each unit, in the data's units",
             more_than(0));
  }
};

/// Denoising score matching (Vincent 2011, equation 11): with x̃ = x + s ε, ε standard normal and drawn anew at each visit,
///   L = Σ_r w_r ½ |ψ(x̃_r) − (x_r − x̃_r)/s²|².
/// Its expectation is that of score matching on the data with that noise, but for a constant: the optimum is a model of the
/// noisy data, with variances greater by s².
class DenoisingScoreMatching final : public GradientEstimator, public SumOverRows<DenoisingScoreMatching> {
 public:
  using Options = DenoisingScoreMatchingOptions;
  explicit DenoisingScoreMatching(Options options = {});

  void check(const EnergyModel& model) const override;
  void begin(const EnergyModel& model, const DataOutline& data) override;
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel&, Index rows) const override { return 8.0 * static_cast<double>(rows); }
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override { return {.loss = true}; }
  void state(StateArchive& archive) override { archive.field("draws", draws_); }

 private:
  double noise_;
  std::uint64_t draws_ = 0;  ///< batches so far: the step of the next one's words
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
