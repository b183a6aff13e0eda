#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// log p(x_free | x_held) of each row in nats, of the units that `evaluate --clamp NAME=free` names, all others of the row being held:
///   log p(x_free | x_held) = log p(x) − log p(x_held) = −F(x) + F(x_held),
/// log Z being in neither. What was not seen of a row is summed over in both.
class ConditionalLikelihood {
 public:
  /// Throws ConfigError for what is not NAME=free, and where there is no such unit.
  ConditionalLikelihood(const EvaluateRequest& request, const ModelHeader& header, const EnergyModel& model);

  /// Adds the mean with its error over the rows of which something that is free was seen, and that of each row to `table`. The figure is
  /// absent, with a reason, where the sums of a row cannot be had exactly, those of all would take too long, or the rows have no
  /// probability.
  void judge(const Dataset& data, const DataUnits& units, bool probability, const Execution& execution,
             Evaluation& result, RowTable& table) const;

 private:
  struct Figures {
    std::vector<double> of_rows;      ///< NaN where nothing of what is free was seen
    std::vector<double> free_shares;  ///< of each column, in how many of the other rows it is free and was seen
  };
  std::optional<Figures> figures(const Dataset& data, const Execution& execution, std::string& why_not) const;

  double beta_;
  const EnergyModel* model_;
  std::vector<ClampEntry> free_;  ///< LAYER[UNIT]=free
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
