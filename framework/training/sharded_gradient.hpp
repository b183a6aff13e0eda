#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <harmonium/framework/inference/burned_in.hpp>
#include <harmonium/framework/inference/sharding.hpp>
#include <harmonium/framework/training/observer.hpp>
#include <harmonium/framework/training/shard_bytes.hpp>
#include <harmonium/framework/training/shard_sum.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An estimator whose batches and chains are cut into shards, of which each rank works on a share. Every rank has the same
/// parameters and makes the same steps; its gradient is the sum over the shards in a fixed order (ShardSum), so that neither
/// the number of ranks nor that of threads is seen in any bit. Made of one object of the estimator for each shard of this rank,
/// all of the same options.
///
/// Rank 0 leads: it alone measures, writes and decides when the run ends, and calls for the others' states where it saves its
/// own. The others follow, between updates in `decide`.
class ShardedGradient final : public GradientEstimator, public BurnsIn {
 public:
  /// `estimators`: for each of the shards [shards.first(), shards.last()). Throws CapabilityError for one that cannot be cut.
  ShardedGradient(std::vector<std::unique_ptr<GradientEstimator>> estimators, ShardSum shards);

  void check(const EnergyModel& model) const override;
  void begin(const EnergyModel& model, const DataOutline& data) override;
  ParameterLayout own_parameters(const EnergyModel& model) const override { return first().own_parameters(model); }
  std::span<Real> own_values() override { return estimators_.front()->own_values(); }
  void start(const EnergyModel& model, const Execution& execution) override;
  Value resolved(const Value& effective, const EnergyModel& model) const override {
    return first().resolved(effective, model);
  }
  /// Throws CapabilityError for a batch of fewer rows than there are shards. Collective.
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override { return first().products(model, rows); }
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel& model) const override { return first().figures(model); }
  bool burn_in(Index steps) override;
  /// Saving: at rank 0, all shards' states, the others being in `decide` or `finish`. Loading: this rank's own.
  void state(StateArchive& archive) override;

  bool leads() const { return shards_.ranks().leads(); }
  /// Collective, after each update: what rank 0 has decided.
  Verdict decide(Verdict verdict);
  /// Collective, where the run has diverged: at all ranks alike, or at rank 0 alone, whose figures they are; `decide` throws then at
  /// the others.
  void diverged();
  /// Collective, when rank 0 will neither train nor save any more.
  void finish();
  /// What `decide` throws where rank 0 ends the run because a figure of its has diverged.
  struct LeaderDiverged {};

 private:
  enum class Word : std::uint8_t { go_on, stop, save, diverged, finish };
  void tell(Word word);
  /// Rank 0's next word, having brought the states that it called for.
  Word listen();
  const GradientEstimator& first() const { return *estimators_.front(); }
  void exchange_own(StateArchive& archive);
  std::vector<std::byte> own_bytes();
  /// Rows of the batch that a shard works on, kept from batch to batch.
  struct Part {
    std::optional<Chains> rows;
    Posterior posterior;
    std::optional<HeldMask> observed;
  };
  DataBatch part_of(const EnergyModel& model, const DataBatch& data, const Shard& shard, Part& part) const;

  std::vector<std::unique_ptr<GradientEstimator>> estimators_;
  std::vector<ShardEstimator*> cut_;  ///< the same objects
  ShardSum shards_;
  std::vector<Part> parts_;
  std::vector<Real> joint_;  ///< the gradient, then the sums
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
