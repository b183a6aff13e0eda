#pragma once

#include <memory>
#include <optional>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct CoupledChainsOptions {
  Index gibbs_steps = 1;
  Index max_steps = 10'000;
  std::unique_ptr<Sampler> sampler = {};

  void bind(OptionBinder& o);
  void validate() const;
};

/// The negative phase without bias, from two chains for each row of the batch (Jacob, O'Leary & Atchadé 2020, section 2;
/// for RBMs Qiu, Zhang & Wang 2020, section 3). Both start at the row; η follows ξ one step behind, and ξ_(t+1) and η_t are
/// drawn with the same random words, so that they meet at some time τ = min {t : ξ_t = η_(t−1)} and stay together. Then
///   f(ξ_k) + Σ_(t = k+1)^(τ−1) [f(ξ_t) − f(η_(t−1))],   k = gibbs_steps,
/// has the expectation of f under the model, as the sum of differences is what f(ξ_k) lacks. Here f is ∂E/∂θ, with latent
/// units by their conditional means where these are a product.
///
/// A binary unit or spin drawn with the same word in both chains is in the same state as probably as can be: common words
/// are the maximal coupling, unit by unit. Units of more states are drawn by inversion and meet less often, and continuous
/// ones once the discrete ones have met.
class CoupledChains final : public PhaseEstimator, public ShardPhase {
 public:
  using Options = CoupledChainsOptions;
  explicit CoupledChains(Options options);

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel&, Phase, const DataOutline&) override {}
  /// Throws NumericalError where chains have not met after `max_steps`: without them the estimate would be biased.
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  /// By the mean over the pairs that have met so far; before any have, those of a meeting after 10 steps.
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override { return {.meetings = true}; }
  void state(StateArchive& archive) override;
  void take(const EnergyModel&, Phase, const Shard& shard) override { shard_ = shard; }

 private:
  Chains start(const EnergyModel& model, const DataBatch& data, const Execution& execution) const;

  /// Matrix products of a row whose chains meet at that time.
  double products_of_pair(std::uint64_t meeting_time) const;

  Options options_;
  /// Steps of all batches so far: those of the next one have other words. Where there are shards, which make unlike numbers of
  /// steps, each batch counts for the most.
  std::uint64_t step_ = 0;
  std::optional<Shard> shard_;
  double products_made_ = 0.0, pairs_met_ = 0.0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
