#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct NoiseContrastiveOptions {
  Index noise_rows = 10;
  void bind(OptionBinder& o) { o.option("noise_rows", noise_rows, "rows of noise for each row of data", at_least(1)); }
};

/// Noise-contrastive estimation (Gutmann & Hyvärinen 2012, equation 8), latent units summed out: data x_r are told from ν rows
/// of noise each, y_rj, by G(x) = −F(x) − c − log ν q(x),
///   L = Σ_r w_r [log(1 + exp(−G(x_r))) + Σ_j log(1 + exp(G(y_rj)))].
/// c is learned beside θ and estimates log Z. The noise q has independent units with the means (and, of continuous units, the
/// variances) of the data; it is drawn anew at each update.
class NoiseContrastive final : public GradientEstimator, public ShardEstimator {
 public:
  using Options = NoiseContrastiveOptions;
  explicit NoiseContrastive(Options options = {});

  void check(const EnergyModel& model) const override;
  void begin(const EnergyModel& model, const DataOutline& data) override;
  /// `log_z`: one number.
  ParameterLayout own_parameters(const EnergyModel& model) const override;
  std::span<Real> own_values() override { return {log_z_.get(), 1}; }
  /// c becomes what 1,000 rows of noise say of log Z, by importance sampling.
  void start(const EnergyModel& model, const Execution& execution) override;
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override;
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override {
    return {.loss = true, .own = {"log_z", "data_told", "noise_told"}};
  }
  void state(StateArchive& archive) override { common_state(archive); }

  void take(const EnergyModel&, const Shard&) override {}
  void join(ShardEstimator& first) override;
  Report estimate_shard(const EnergyModel& model, const DataBatch& data, const WholeBatch& whole,
                        std::span<Real> gradient, std::span<Real> sums, const Execution& execution) override;
  void finish(const EnergyModel&, const WholeBatch&, std::span<Real>, std::span<const Real>, const Executor&) override {
    ++*updates_;
  }
  void common_state(StateArchive& archive) override;

 private:
  /// −F(x) − log q(x) of each row.
  std::vector<double> log_ratios(const EnergyModel& model, const Chains& x, const Executor& executor) const;
  Chains draw(const EnergyModel& model, Index rows, std::uint32_t first, const RandomSource& random) const;

  Index noise_rows_;
  // One of each for all shards.
  std::shared_ptr<Real> log_z_ = std::make_shared<Real>();
  std::shared_ptr<std::uint64_t> updates_ = std::make_shared<std::uint64_t>();  ///< number the words of the noise
  std::optional<AnnealingBase> noise_;                                          ///< its latent units cancel
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
