#pragma once

#include <memory>
#include <optional>
#include <string>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/conditional_likelihood.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/evaluation_reasons.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/first_machine.hpp>
#include <harmonium/program/work/held_likelihood.hpp>
#include <harmonium/program/work/log_z_way.hpp>
#include <harmonium/program/work/requests.hpp>
#include <harmonium/program/work/row_table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether each part of a run's data has figures of its own.
enum class Parts : std::uint8_t { no, yes };

/// What share of all work the figures that need no data have, 5 to 80 %, of the seconds that these and the rows take. 0 seconds of
/// rows are not known, as of rows that are annealed: they have the smallest share.
double share_of_model(double of_model, double of_rows);

/// What `evaluate` is asked for, read and found to go together; log Z is found once for all data. It refers to the request.
class Judge {
 public:
  Judge(const EvaluateRequest& request, const Registries& builtin);

  /// The rows that the command line names; nothing where it names none.
  std::optional<Dataset> named_data();
  /// The data of the model's run, dealt as the run dealt it.
  DataSplits data_of_run();
  /// How many rows are to be judged in all, for the work that is shown. Once, before anything is found.
  void expect_rows(Index rows);
  /// The figures that need no data. Once, and before those of data.
  Evaluation of_model();
  /// Those of a data set, beside those of the model: of `rows` in words, with `before` rows in the sets before it.
  Evaluation of(const Dataset& data, Evaluation result, const std::string& rows, Index before) const;
  /// Tells who asks which rows these are, without figures.
  void tell_of(const Dataset& data, const std::string& rows) const { tell_rows(data, {}, rows, false, {}); }
  /// The figures of data are absent, but for units that are held; of parts of a run's data each has its own.
  Evaluation without_data(Evaluation result, Parts parts) const;

 private:
  Execution part(const char* name, Display& display) const;
  DataUnits data_units() const;
  /// Throws CapabilityError where single rows have no figure and are asked for it.
  void check_row_by_row() const;
  /// Whether sums over states of rows are left out for their bound.
  bool leaves_sums() const;
  /// Writes the figures of each row where that is asked for, and tells who asks.
  void tell_rows(const Dataset& data, RowTable table, const std::string& rows_in_words, bool probability,
                 const Evaluation& result) const;

  const EvaluateRequest& request_;
  ModelHeader header_;
  Registries registries_;
  Value options_;
  std::unique_ptr<EnergyModel> model_;
  Executor executor_;
  RandomSource random_;
  Execution execution_;
  std::shared_ptr<const Transform> transform_;
  EvaluateRequest due_;  ///< what log Z and rows are found by (with_due_effort)
  LogZWay way_;
  FirstMachine first_machine_;
  std::optional<ConditionalLikelihood> conditional_;
  std::optional<HeldLikelihood> held_;  ///< where no rows are named
  Absent absent_;
  RowTable named_;                                    ///< for --rows, which rows the command line names
  Value spec_;                                        ///< the table [data] of what is judged
  bool draws_bits_ = false;                           ///< whether its bits are drawn of gray values
  double share_of_model_ = share_of_model(0.0, 0.0);  ///< of all work, about
  Index num_rows_ = 0;                                ///< of all data
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
