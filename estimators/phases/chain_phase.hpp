#pragma once

#include <memory>
#include <optional>

#include <harmonium/estimators/phases/example_memory.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/burned_in.hpp>
#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class ChainStart : std::uint8_t { data, persistent, uniform, marginals };

struct ChainPhaseOptions {
  ChainStart start = ChainStart::persistent;
  Index num_chains = 0;
  Index gibbs_steps = 1;
  Index clamped_steps = usual_clamped_steps;
  bool rao_blackwell = true;
  std::unique_ptr<Sampler> sampler = {};

  /// What they and their number are called where memory is short.
  struct Words {
    const char *chains = "the chains", *means = "the means of the chains' latent units",
               *number = "the estimator's num_chains";
  };
  Words words = {};

  static constexpr Index usual_clamped_steps = 10;
  void bind(OptionBinder& o);
  void validate() const;
};

/// Either phase from Markov chains: the mean of ∂E/∂θ over chains, `gibbs_steps` transitions after their start. With
/// `rao_blackwell` the latent units that the sampler drew last enter by their conditional means, samples only driving the
/// chain (Bengio & Delalleau 2009, equation 2.12); else by their states.
///
/// In the negative phase `num_chains` chains draw from the model. Where the start is
///   `data`        the rows of the batch, latent units drawn from their posterior (contrastive divergence): exactly where
///                 it factorizes, else from uniform states by `clamped_steps` transitions with the data held. Where entries
///                 are missing and the sampler cannot hold single units, what was not seen begins uniform;
///   `persistent`  where the last call left them (stochastic maximum likelihood); at first as with `marginals`, or, of a model
///                 that is trained already (`burn_in`), at the rows of the batch with some transitions after it;
///   `uniform`     every unit uniform, at each call anew (Goodfellow et al., algorithm 18.1);
///   `marginals`   observed units independent with the data's means, latent units given them, at each call anew.
///
/// In the positive phase one chain a row of the batch draws what was not seen, latent units and missing entries, with
/// what was seen held. Where the start is
///   `persistent`  where the last visit of the same row of the data left it (Neal 1992); at first as with `marginals`;
///   `uniform`, `marginals`  as above, at each visit anew.
class ChainPhase final : public PhaseEstimator, public ShardPhase, public BurnsIn {
 public:
  using Options = ChainPhaseOptions;
  explicit ChainPhase(Options options);

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel& model, Phase phase, const DataOutline& data) override;
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  void state(StateArchive& archive) override;
  /// Throws CapabilityError for chains that are remembered of each row, as rows come to another shard at each visit, for a
  /// sampler that adapts itself to all chains, and for fewer chains than shards. A ladder of temperatures is never cut.
  void take(const EnergyModel& model, Phase phase, const Shard& shard) override;
  void begin_batch(const WholeBatch& whole) override { whole_ = whole; }
  bool burn_in(Index steps) override;

  /// The chains as they stand; null before the first call.
  const Chains* chains() const { return chains_ ? &*chains_ : nullptr; }
  Chains* chains() { return chains_ ? &*chains_ : nullptr; }

 private:
  /// Chains for a batch of `rows`, a ladder of temperatures counting once.
  Index logical_chains(Phase phase, Index rows) const;
  /// Of these the ones of this shard, `rows` being its own.
  Index own_chains(Phase phase, Index rows) const;
  void load_chains(StateArchive& archive);
  /// As many rows, the first of that number, at the present step.
  void provide(const Layout& layout, Index rows, Index first);
  void start(const EnergyModel& model, const DataBatch& data, const Execution& execution);
  void start_at_data(const EnergyModel& model, const DataBatch& data, const Execution& execution);
  void start_at_marginals(const EnergyModel& model, const DataBatch& data, const Execution& execution);
  /// Persistent chains of a model that is trained already.
  void start_burned_in(const EnergyModel& model, const DataBatch& data, const Execution& execution);
  /// Everything but what was seen of the batch drawn anew, or recalled.
  void start_clamped(const EnergyModel& model, const DataBatch& data, const Execution& execution);
  LayerSet remembered(const Layout& layout, bool missing) const;
  /// Transitions, then gradient += Σ weights · ∂E/∂θ with weights[r] = weight_of(r).
  template <class WeightOf>
  SamplerReport move_and_add(const Target& target, bool states_wanted, const WeightOf& weight_of,
                             std::span<Real> gradient, const Execution& execution);

  Options options_;
  Index burn_in_ = 0;
  std::optional<Chains> chains_;
  struct Begun {
    Layout layout;
    Phase phase;
  };
  std::optional<Begun> begun_;
  PerLayer<UnitBuffer> moments_;         ///< of the latent layers
  PerLayer<std::vector<Real>> squares_;  ///< of layers whose units have a curvature and are taken by their states
  ExampleMemory examples_{ExampleMemory::Values::states};  ///< of the positive phase
  DataOutline outline_;
  bool draws_missing_ = true;  ///< a start from the data has what was not seen of it drawn by the sampler
  std::optional<Shard> shard_;
  WholeBatch whole_;              ///< of shards alone
  std::uint64_t all_chains_ = 0;  ///< of all shards, a ladder counting once
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
