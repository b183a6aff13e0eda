#pragma once

#include <string>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An estimate of log Z = log Σ_x exp(−β E(x)).
struct LogPartitionEstimate {
  double log_z = 0.0;
  double error = 0.0;  ///< one standard error; 0 where exact
  bool exact = false;
  std::string method;  ///< in words
};

class LogPartition {
 public:
  static constexpr const char* kind = "log_partition";
  virtual ~LogPartition();
  /// Throws CapabilityError, naming what would serve, where it cannot be had for this model.
  virtual void check(const EnergyModel& model) const = 0;
  virtual LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const = 0;
  /// Multiplications and additions of one estimate, for budgets.
  virtual double operations(const EnergyModel& model) const = 0;
  /// Adds what it will hold.
  virtual void memory(const EnergyModel&, MemoryNeed&) const {}
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
