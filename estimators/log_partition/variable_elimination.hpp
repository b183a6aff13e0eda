#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/always_exact.hpp>
#include <harmonium/framework/inference/log_partition.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct VariableEliminationOptions {
  double max_bits = 24;
  void bind(OptionBinder& o) {
    o.option("max_bits", max_bits, "log2 of the most entries that a table may have (8 bytes each)", within(1, 32));
  }
};

/// Exact log Z of sparse models of any size by summing units out one after another (elimination.hpp), and their least energy.
class VariableElimination final : public LogPartition, public AlwaysExact {
 public:
  using Options = VariableEliminationOptions;
  explicit VariableElimination(Options options = {}) : options_(options) {}

  void check(const EnergyModel& model) const override;
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override;
  bool finds_ground_state(const EnergyModel&, double) const override { return true; }
  double operations(const EnergyModel& model) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
