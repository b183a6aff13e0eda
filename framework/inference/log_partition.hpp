#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What would mend a condition that failed, the gravest last.
enum class Doubt : std::uint8_t {
  other,         ///< nothing that more of the same would
  contradicted,  ///< two ways that should say the same do not: a start was unlucky, or walks are too short
  too_few,       ///< too few rows count: more of them, or smaller steps
  stuck          ///< rows do not get around: longer walks
};

/// Rows of the model's law, as good as the estimate that they come with.
struct CertifiedDraws {
  Chains rows;
  Index group = 1;            ///< neighbors that come from one ladder, and are independent of others only
  bool starts_apart = false;  ///< whether every other group is of a ladder that began low (LadderStart::apart)
};

/// An estimate of log Z = log Σ_x exp(−β E(x)), in nats.
struct LogPartitionEstimate {
  double log_z = 0.0;
  double error = 0.0;  ///< one standard error; 0 where exact
  bool exact = false;
  std::string method;  ///< in words

  /// A 95 % interval of log Z; both ends are log Z where it is exact.
  double low = 0.0, high = 0.0;
  /// Whether the estimate is held from both sides, by ways that agree. Where not, `why` says what failed, and log Z may lie
  /// anywhere.
  bool agree = true;
  std::string why = {};
  Doubt doubt = Doubt::other;  ///< the gravest of what failed
  /// What each side of an estimate from both sides bounds alone, 95 % each; absent where it bounds nothing.
  std::optional<double> at_least = {}, at_most = {};
  /// min_x E(x), where the way to log Z gives it by the way.
  std::optional<double> ground_state_energy = {};
  std::optional<Chains> ground_state = {};  ///< one row, a state of that energy
  /// By which it was found, where the way keeps them and it is agreed on.
  std::optional<CertifiedDraws> draws = {};

  /// One more reason why it is not agreed on; nothing where there is none.
  void object(std::string_view reason, Doubt kind = Doubt::other) {
    if (reason.empty()) return;
    agree = false;
    doubt = std::max(doubt, kind);
    why += (why.empty() ? "" : "; ") + std::string(reason);
  }
  /// Adds a number that is known to log Z and all its bounds.
  void shift(double by) {
    for (double* v : {&log_z, &low, &high}) *v += by;
    for (std::optional<double>* v : {&at_least, &at_most})
      if (*v) **v += by;
  }

  static LogPartitionEstimate of_exact(double log_z, std::string method) {
    return {log_z, 0.0, true, std::move(method), log_z, log_z};
  }
  /// Of an unbiased estimate with a normal error.
  static LogPartitionEstimate of_normal(double log_z, double error, std::string method) {
    return {log_z, error, false, std::move(method), log_z - 1.96 * error, log_z + 1.96 * error};
  }
};

class LogPartition {
 public:
  static constexpr const char* kind = "log_partition";
  virtual ~LogPartition();
  /// Throws CapabilityError, naming what would serve, where it cannot be had for this model.
  virtual void check(const EnergyModel& model) const = 0;
  virtual LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const = 0;
  /// The mean over `rows` of log Σ exp(−β E) over all units that `held` does not hold, in nats a row. With what was seen of
  /// the data held, this less log Z is their mean log likelihood. Throws CapabilityError where it cannot be had.
  virtual LogPartitionEstimate estimate_mean(const EnergyModel& model, double beta, const Chains& rows,
                                             const HeldMask& held, const Execution& execution) const;
  /// The estimate of a model that is watched while it changes little from call to call, as in training: what the last call left
  /// may serve this one, and goes through `state`. As `estimate` where nothing does.
  virtual LogPartitionEstimate follow(const EnergyModel& model, double beta, const Execution& execution);
  virtual void state(StateArchive&) {}
  /// Whether an estimate brings a ground state, or the lowest that it met, by the way.
  virtual bool finds_ground_state(const EnergyModel&, double /*beta*/) const { return false; }
  /// Multiplications and additions of one estimate, for budgets.
  virtual double operations(const EnergyModel& model) const = 0;
  /// Adds what it will hold.
  virtual void memory(const EnergyModel&, MemoryNeed&) const {}
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
