#pragma once

#include <memory>
#include <span>

#include <harmonium/estimators/centering.hpp>
#include <harmonium/estimators/gradients/unit_losses.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct NeighborLossOptions : CenteringOptions {};

struct ProbabilityFlowOptions : CenteringOptions {
  bool exclude_batch = false;
  void bind(OptionBinder& o);
};

/// The gradient of a loss that compares each row with its neighbors, the rows that differ from it in one observed unit:
/// a sum over rows and observed units of a UnitLoss. Latent units are summed out, log Z cancels, and nothing is drawn: the
/// gradient is exact, of another objective than the likelihood, whose optimum is the same where the model can be right.
///   ∂ℓ/∂θ = Σ_s ∂ℓ/∂a_s (∂F(x)/∂θ − ∂F(neighbor s)/∂θ)
/// is a difference of two expectations of ∂E/∂θ of the same total weight, and so can be centered.
class NeighborLoss final : public GradientEstimator, public ShardEstimator {
 public:
  struct Rule {
    const char* name;
    UnitLoss loss;
    bool gray;  ///< whether values between the states of a unit have a loss
  };
  NeighborLoss(Rule rule, const CenteringOptions& options, bool exclude_batch = false);

  void check(const EnergyModel& model) const override;
  void begin(const EnergyModel& model, const DataOutline& data) override;
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override;
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override { return {.loss = true}; }
  void state(StateArchive& archive) override { common_state(archive); }

  /// Throws CapabilityError where neighbors that are rows of the batch are left out: a shard does not know all of them.
  void take(const EnergyModel& model, const Shard& shard) override;
  void join(ShardEstimator& first) override { centering_ = dynamic_cast<NeighborLoss&>(first).centering_; }
  Index num_sums(const EnergyModel& model) const override { return centering_ ? Centering::num_sums(model) : 0; }
  Report estimate_shard(const EnergyModel& model, const DataBatch& data, const WholeBatch& whole,
                        std::span<Real> gradient, std::span<Real> sums, const Execution& execution) override;
  void finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient, std::span<const Real> sums,
              const Executor& executor) override;
  void common_state(StateArchive& archive) override;

 private:
  /// Replaces the log ratios of a layer's neighbors by the weights that ∂F of each has in the gradient. The row itself is the
  /// neighbor in its unit's own state; what ∂F of it has where there is none (gray values) is added to `of_rows`. Returns the
  /// rows' weighted loss.
  double weigh(const Layer& layer, ConstMatrixRef values, std::span<const double> weights, MatrixView<double> ratios,
               std::span<double> of_rows, const Executor& executor) const;

  Rule rule_;
  std::shared_ptr<Centering> centering_;  ///< null: not centered; one for all shards
  bool exclude_batch_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
