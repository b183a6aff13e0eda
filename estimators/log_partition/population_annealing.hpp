#pragma once

#include <memory>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct PopulationAnnealingOptions {
  Index population = 1000;
  Index num_populations = 10;
  double culling = 0.1;
  Index sweeps = 10;
  double effort = 1.0;
  std::unique_ptr<Sampler> sampler;

  void bind(OptionBinder& o);
};

/// log Z, and the lowest energy that is met, by population annealing (Hukushima & Iba 2003; Machta 2010): rows start at β = 0 and
/// are led down in temperature together. At each step from β to β' a row is given copies by its weight e^((β − β') D),
/// D = E − E₀, the population keeping its size; then every row is moved by `sweeps` transitions at β'. The mean weights of the
/// steps multiply to Z(β') / Z(0). Steps are as long as lets a share `culling` of the rows die out (Barzegar, Pattison, Wang & Katzgraber
/// 2018).
///
/// Several populations run beside each other: the estimate is the log of the mean of their Z, and the error is told from their
/// spread (Wang, Machta & Katzgraber 2015). It is agreed on where every population keeps enough families, so that what is left of
/// it does not come from a few rows, and where they do not differ by more than the mean of Z bears. All of them come from one side:
/// a mode that no row is near when it parts from the others is missed by all.
class PopulationAnnealing final : public LogPartition {
 public:
  using Options = PopulationAnnealingOptions;
  explicit PopulationAnnealing(Options options);
  /// A population's size over its mean square family size must be this at least (Wang, Machta & Katzgraber 2015).
  static constexpr double enough_families = 100.0;
  /// The standard deviation of log Z over populations, above which the mean of Z hangs on the luckiest of them.
  static constexpr double largest_deviation = 1.0;

  void check(const EnergyModel& model) const override;
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override;
  bool finds_ground_state(const EnergyModel& model, double beta) const override;
  double operations(const EnergyModel& model) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Index rows_of_population() const;

  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
