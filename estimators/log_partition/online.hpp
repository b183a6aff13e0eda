#pragma once

#include <memory>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/ladders.hpp>
#include <harmonium/framework/inference/log_partition.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Ladders of rows as they are put away between two calls, without the model that they walk on.
struct Resting {
  std::vector<double> betas;              ///< of each rung, the target's first; empty: none have walked yet
  std::vector<std::vector<Real>> values;  ///< of each layer, all rows
  std::vector<std::uint32_t> rung;        ///< of each row
  std::vector<std::uint8_t> last_ends;    ///< of each row
  std::uint64_t step = 0;

  Chains chains(const Layout& layout) const;
  /// The same rows on other temperatures, each that of the nearest old one.
  void move_to(std::vector<double> new_betas, const Layout& layout);
  void put(const Chains& rows, std::vector<double> of_rungs);
  void put(const Ladders& ladders);
  void state(StateArchive& archive);
};

struct OnlineLogPartitionOptions {
  Index num_ladders = 10, num_steps = 2000;
  std::unique_ptr<Sampler> sampler;

  void bind(OptionBinder& o);
};

/// log Z along training (after Desjardins, Courville & Bengio 2011): tempering ladders that go on, from call to call, on the
/// model as it has become. A call walks for nothing until rows have made one round trip a ladder, and then `num_steps`, whose
/// draws count all at once (multistate_of); the interval is the jackknife's over ladders. Where neighbors hardly exchange, the
/// ladder gets more temperatures, at equal rates (Syed, Bouchard-Côté, Deligiannidis & Doucet 2022). It is agreed on if that
/// round trip was made, then four by each ladder with the rows that count, and neighbors overlap.
class OnlineLogPartition final : public LogPartition {
 public:
  using Options = OnlineLogPartitionOptions;
  explicit OnlineLogPartition(Options options);

  void check(const EnergyModel& model) const override;
  /// Of a model alone: the first call where it is agreed on; else calls until one is, ten at most, and then what one more finds,
  /// which is not chosen by what it says.
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override;
  LogPartitionEstimate follow(const EnergyModel& model, double beta, const Execution& execution) override {
    return next(resting_, model, beta, execution);
  }
  void state(StateArchive& archive) override;
  double operations(const EnergyModel& model) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  LogPartitionEstimate next(Resting& resting, const EnergyModel& model, double beta, const Execution& execution) const;
  /// The first temperatures and rows.
  void begin(Resting& resting, const AnnealingBase& base, const Target& target, double end,
             const Execution& execution) const;
  /// Walks until rows have settled, with other temperatures where they ask for them. False where they have not.
  bool settle(Resting& resting, const Target& target, const Execution& execution) const;
  LogPartitionEstimate measure(Resting& resting, const Target& target, const Execution& execution) const;

  Options options_;
  Resting resting_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
