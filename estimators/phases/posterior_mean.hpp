#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct PosteriorMeanOptions {
  bool sampled = false;
  void bind(OptionBinder& o) {
    o.option("sampled", sampled,
             "one draw of the latent units a row in place of their means: the same expectation, more noise");
  }
};

/// The positive phase where the latent units are independent given the observed ones: E[∂E/∂θ | x], exact (Bengio &
/// Delalleau 2009, equation 2.12). With `sampled`, one draw of the latents a row instead.
class PosteriorMean final : public PhaseEstimator, public ShardPhase {
 public:
  using Options = PosteriorMeanOptions;
  explicit PosteriorMean(Options options = {}) : options_(options) {}

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel& model, Phase phase, const DataOutline& data) override;
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel&, Phase, Index rows) const override { return 2.0 * static_cast<double>(rows); }
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  void state(StateArchive& archive) override { archive.field("draws", draws_); }
  void take(const EnergyModel&, Phase, const Shard&) override {}

 private:
  Options options_;
  std::uint64_t draws_ = 0;  ///< batches drawn so far: the step of the next one's words
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
