#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/machine_ladder.hpp>
#include <harmonium/samplers/ladder_progress.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct TrajectoryTemperingOptions {
  std::string run = {};
  std::vector<double> places = {};  ///< on the path, of each rung; empty: an adapted ladder
  std::optional<Index> num_rungs = {};
  std::optional<Index> adapt_steps = {};
  Index swap_every = 1;
  std::unique_ptr<Sampler> sampler = {};

  static constexpr Index usual_rungs = 10, usual_adapt_steps = 500;

  void bind(OptionBinder& o);
  void validate() const;
};

/// Parallel tempering over the machines of a training's own trajectory (Béreux, Decelle, Furtlehner, Rosset & Seoane 2025): a
/// logical chain is a row at each of a ladder of machines on the path that training took to the target (machine_path.hpp), each
/// moved by the inner sampler, and neighbors exchange their rows as MachineLadder says. Young machines mix; what they hold is
/// handed on to the old ones, whose modes grew out of theirs one after the other. A step first exchanges and then moves.
///
/// Without `places` the ladder is adapted as that of ParallelTempering: during the first `adapt_steps` transitions of this object
/// machines move along the path to equal parts of the cumulated rejection rate. Afterwards it stands still, and the law is exact.
///
/// The path ends at the target as it is at each call, whatever its parameters have become. All rows of a logical chain must
/// hold the same units at the same values. Reports count exchanges of a ladder that stands still, and have the temperature 1 at
/// each rung.
class TrajectoryTempering final : public Sampler, public CountsRoundTrips {
 public:
  using Options = TrajectoryTemperingOptions;
  /// Throws ConfigError for an inner sampler that is missing, has rungs of its own, or adapts itself.
  explicit TrajectoryTempering(Options options);

  Index rungs() const override { return places_.size(); }
  Index adaptation_steps() const override;
  /// Throws CapabilityError for a target with a ladder, a base or another temperature than 1, for a model that cannot be copied,
  /// and for what the inner sampler cannot do; ConfigError and DataError where the run has no machines for this model.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;
  /// Throws ConfigError where the state is of other machines than the run has now.
  void state(StateArchive& archive) override;
  void begin_anew() override { progress_.begin_anew(); }

  /// Of each rung on the path, as the ladder stands: from 1, descending.
  std::span<const double> places() const { return places_; }

 private:
  void find_machines(const EnergyModel& model);
  void find_mark();
  void check_mark(const std::vector<std::uint64_t>& kept) const;
  void end_round();
  void check_loaded(const StateArchive& archive) const;

  Options options_;
  std::vector<double> places_;
  LadderProgress progress_{2};
  // Made of the run's files at the first call, and of the target's parameters at each.
  std::optional<MachinePath> path_;
  std::optional<MachineRungs> machines_;
  std::vector<std::uint64_t> mark_;  ///< of the run's files, once they are known
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
