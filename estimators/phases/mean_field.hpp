#pragma once

#include <vector>

#include <harmonium/estimators/phases/example_memory.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class MeanFieldStart : std::uint8_t { fresh, persistent };

struct MeanFieldOptions {
  MeanFieldStart start = MeanFieldStart::fresh;
  double damping = 0.0;
  double tolerance = 1e-4;
  Index max_iterations = 100;

  void bind(OptionBinder& o);
};

/// The positive phase under the best law q of the units that were not seen (latent units, missing entries) that
/// factorizes over them (Peterson & Anderson 1987; Salakhutdinov & Hinton 2009, section 3): block by block of the
/// model's, each unit's law is set to its conditional at the means of the others, which raises
///   −E_q[E] + H(q) ≤ log Σ exp(−E),
/// a bound that is reached where the posterior factorizes, and then after one iteration. Iterations end when no mean
/// moved by more than `tolerance`. With `damping` d the natural parameters become d times the old and 1 − d times the new
/// ones, after the first iteration. Means start from those of each unit under a zero field (½ for binary units) and of
/// missing entries from their data's means, or, with `persistent`, from the last result for the same row of the data.
///
/// Of the positive phase alone: in the negative one the bound's sign flips, and learning would loosen it.
class MeanField final : public PhaseEstimator, public ShardPhase {
 public:
  using Options = MeanFieldOptions;
  explicit MeanField(Options options = {}) : options_(options) {}

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel& model, Phase, const DataOutline& data) override {
    outline_ = {data.rows, data.missing};
    if (options_.start == MeanFieldStart::persistent)
      examples_.begin(model.layout(), remembered(model.layout(), data.missing));
  }
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override { return {.bound = true}; }
  void state(StateArchive& archive) override { archive.group("examples", examples_); }
  /// Throws CapabilityError for means that are remembered of each row: rows come to another shard at each visit.
  void take(const EnergyModel& model, Phase phase, const Shard& shard) override;

  /// −E_q[E] + H(q) of each row of the last batch, in nats.
  const std::vector<double>& bounds() const { return bounds_; }

 private:
  /// The natural parameters of a layer's units, rows × columns, and the second moments of those with a curvature.
  struct LayerLaw {
    UnitBuffer fields;
    std::vector<Real> second;
  };
  LayerSet remembered(const Layout& layout, bool missing) const { return missing ? layout.all() : layout.latent(); }
  void start(const EnergyModel& model, const DataBatch& data);
  /// One visit of a block: the largest move of a mean.
  double update(const EnergyModel& model, const Block& block, const HeldMask& seen, Index begin, Index end,
                double damping);
  void find_bounds(const EnergyModel& model, const HeldMask& seen, Index begin, Index end);

  Options options_;
  std::optional<Chains> means_;
  PerLayer<LayerLaw> laws_;
  std::vector<double> bounds_;
  ExampleMemory examples_{ExampleMemory::Values::numbers};
  DataOutline outline_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
