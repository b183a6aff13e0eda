#pragma once

#include <memory>
#include <optional>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class ChainStart : std::uint8_t { data, persistent, uniform, marginals };

struct ChainPhaseOptions {
  ChainStart start = ChainStart::persistent;
  Index num_chains = 0;
  Index gibbs_steps = 1;
  bool rao_blackwell = true;
  std::unique_ptr<Sampler> sampler = {};

  void bind(OptionBinder& o);
  void validate() const;
};

/// The negative phase from Markov chains: the mean of ∂E/∂θ over `num_chains` chains, `gibbs_steps` transitions after
/// their start. Where the start is
///   `data`        the rows of the batch, latent units drawn from their posterior (contrastive divergence);
///   `persistent`  where the last call left them (stochastic maximum likelihood); at first as with `marginals`;
///   `uniform`     every unit uniform, at each call anew (Goodfellow et al., algorithm 18.1);
///   `marginals`   observed units independent with the data's means, latent units given them, at each call anew.
/// With `rao_blackwell` the latent units enter by their conditional means, samples only driving the chain (Bengio &
/// Delalleau 2009, equation 2.12); else by their states.
class ChainPhase final : public PhaseEstimator {
 public:
  using Options = ChainPhaseOptions;
  explicit ChainPhase(Options options);

  void check(const EnergyModel& model, Phase phase) const override;
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  void state(StateArchive& archive) override;

  /// The chains as they stand; null before the first call.
  const Chains* chains() const { return chains_ ? &*chains_ : nullptr; }

 private:
  /// Chains for a batch of `rows`, a ladder of temperatures counting once.
  Index logical_chains(Index rows) const;
  void start(const EnergyModel& model, const DataBatch& data, const Execution& execution);
  void draw_marginals(const EnergyModel& model, const DataBatch& data, const Execution& execution);

  Options options_;
  std::optional<Chains> chains_;
  std::optional<StateArchive::Fields> restored_;  ///< a saved state, until the model that it belongs to is known
  std::vector<std::vector<Real>> mean_, second_;  ///< of each layer
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
