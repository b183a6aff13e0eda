#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/log_z_way.hpp>
#include <harmonium/program/work/requests.hpp>
#include <harmonium/program/work/row_table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the rows of a data set come to beside the figures of `evaluate`.
struct RowFigures {
  /// The mean of log Σ exp(−β E) over what was not seen of a row, in nats: minus the mean free energy.
  std::optional<LogPartitionEstimate> log_sums;
  /// A lower bound of it by mean field, where it is not exact.
  std::optional<double> variational_bound;
  double bound_error = 0.0;  ///< one standard error of it, where it is by draws
  std::string no_log_sums;   ///< why there are none
  std::string advice = {};   ///< what may settle those that are not agreed on
  std::vector<double> seen;  ///< share of rows in which each observed column was seen; empty where nothing is missing
};

/// Fills in the means over the rows of what the model offers. Rows with so many holes that they are not summed over, and all
/// where the latent units are coupled, have their sums by `way`, where it has them. Without `probability` rows have no
/// likelihood. `table`, where not null, receives the figures of each row; a row whose sum is not exact has none (NaN).
RowFigures judge_rows(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data, bool probability,
                      const LogZWay& way, const Registries& registries, const Execution& execution, Evaluation& result,
                      RowTable* table = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
