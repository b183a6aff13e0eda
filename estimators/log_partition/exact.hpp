#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/always_exact.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/log_partition.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct ExactLogPartitionOptions {
  double max_bits = 30;
  void bind(OptionBinder& o) {
    o.option("max_bits", max_bits, "log2 of the most states that may be enumerated",
             within(0, Enumeration::most_bits_at_all));
  }
};

/// log Z by enumeration of the cheapest set of layers (the smaller one of an RBM), the others summed out in closed form;
/// in double, on all threads.
class ExactLogPartition final : public LogPartition, public AlwaysExact {
 public:
  using Options = ExactLogPartitionOptions;
  explicit ExactLogPartition(Options options = {}) : options_(options) {}

  void check(const EnergyModel& model) const override;
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override;
  double operations(const EnergyModel& model) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
