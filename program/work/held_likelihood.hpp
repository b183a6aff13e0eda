#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/log_z_way.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// log p of the observed units that `evaluate --clamp NAME=VALUE` holds, in nats, all others being summed over:
///   log p(held) = log Z(held) − log Z, Z(held) = Σ exp(−β E) over the states that agree with what is held.
class HeldLikelihood {
 public:
  /// Throws ConfigError as Clamp does, and for what is no value of observed units: rows of a file, LAYER=each, NAME=free.
  HeldLikelihood(const EvaluateRequest& request, const ModelHeader& header, const EnergyModel& model);

  /// Adds both figures to those of the model. log Z(held) is exact where the sums of a row with these entries are, or unit by unit, unless
  /// annealing was asked for; else it is annealed.
  void judge(const LogZWay& way, const Execution& execution, Evaluation& result) const;

 private:
  std::optional<LogPartitionEstimate> estimate(const LogZWay& way, const Execution& execution,
                                               std::string& why_not) const;
  std::optional<LogPartitionEstimate> by_elimination(const Execution& execution) const;

  double beta_;
  std::string log_z_;  ///< the way that was asked for
  const EnergyModel* model_;
  HeldState held_;
  std::vector<double> columns_;  ///< 1 of each observed column that is held, else 0
  DataUnits units_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
