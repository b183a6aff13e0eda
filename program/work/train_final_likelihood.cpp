// The exact likelihood of all rows at the end of a run.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/metrics_log.hpp>
#include <harmonium/framework/training/parts_of_data.hpp>
#include <harmonium/program/work/likelihood_of_rows.hpp>
#include <harmonium/program/work/of_type.hpp>
#include <harmonium/program/work/own_data.hpp>
#include <harmonium/program/work/train_remarks.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint64_t enough_updates = 300;  // nobody expects more of fewer

/// The smallest number of rows that a figure along the run is of; none where all are of all rows.
std::optional<Index> fewest_rows_of_figures(const Value& effective) {
  const Value* observers = effective.find("observers");
  if (!observers || !observers->is_list()) return {};
  std::optional<Index> fewest;
  for (const Value& observer : std::get<Value::List>(observers->data)) {
    const Value* rows = observer.find("rows");
    const auto* number = rows ? std::get_if<std::int64_t>(&rows->data) : nullptr;
    if (number && *number > 0) fewest = std::min(fewest.value_or(*number), static_cast<Index>(*number));
  }
  return fewest;
}

/// Units of each row that pseudo likelihoods along the run are of, where these are not all.
std::optional<Index> units_of_figures(const Value& effective, const Layout& layout) {
  const Value* observers = effective.find("observers");
  if (!observers || !observers->is_list()) return {};
  Index most = 0;
  for (const LayerId l : layout.ids(layout.observed())) most = std::max(most, layout[l].size);
  std::optional<Index> fewest;
  for (const Value& observer : std::get<Value::List>(observers->data)) {
    const Value *type = observer.find("type"), *units = observer.find("units");
    const auto* number = units ? std::get_if<std::int64_t>(&units->data) : nullptr;
    if (!type || !(*type == make_value("pseudo_likelihood")) || !number || *number <= 0) continue;
    if (static_cast<Index>(*number) < most) fewest = std::min(fewest.value_or(most), static_cast<Index>(*number));
  }
  return fewest;
}

/// What figures along the run are of: "1000 rows of each part, pseudo log likelihoods of 10 units of each row".
std::string extent_of_figures(const Value& effective, const Layout& layout, Index rows) {
  const std::optional<Index> units = units_of_figures(effective, layout);
  return fmt::format("{} rows of each part{}", rows,
                     units ? fmt::format(", pseudo log likelihoods of {} units of each row", *units) : "");
}

bool any_part_has_more(const RunData& data, Index rows) {
  return std::ranges::any_of(std::array{data.train, data.validation, data.test},
                             [&](const Dataset* part) { return part && part->rows() > rows; });
}

/// Whether the log likelihood was due after the last epoch, so that the log has it.
bool due_last(const std::vector<MeasuredFigure>& figures, std::uint64_t epochs) {
  const auto found = std::ranges::find(figures, "log_likelihood", &MeasuredFigure::name);
  return found != figures.end() && due(found->every, epochs);
}

/// log Z of the model at the end, where the first observer of a likelihood has found it exactly after the last epoch: what takes
/// longest is not done twice.
std::optional<double> exact_log_z_at_end(const Value& effective, const MetricsLog& log) {
  const Value* observers = effective.find("observers");
  const MetricSeries* found = log.find("log_z");
  if (!observers || !found || found->epochs.back() != static_cast<double>(log.epochs)) return {};
  for (const Value& observer : std::get<Value::List>(observers->data)) {
    const Value *type = observer.find("type"), *way = observer.find("log_z");
    if (!type || !way || !(*type == make_value("log_likelihood"))) continue;
    const Value* of_way = way->find("type");
    const bool exact = of_way && (*of_way == make_value("exact") || *of_way == make_value("variable_elimination"));
    return exact ? std::optional(found->values.back()) : std::nullopt;
  }
  return {};
}

/// The model with other parameters; null where it cannot be copied.
std::unique_ptr<EnergyModel> with_parameters(const EnergyModel& from, const std::vector<Real>& theta) {
  std::unique_ptr<EnergyModel> model = from.copy();
  if (model) model->update_parameters([&](std::span<Real> own) { std::ranges::copy(theta, own.begin()); });
  return model;
}

/// "-143.21(16) of 60000 training rows, ..."
std::string words_of(const std::vector<LikelihoodOfRows>& found, const std::string& of_what) {
  std::string words;
  for (const LikelihoodOfRows& of : found)
    words += fmt::format("{}{} of {} {} rows{}", words.empty() ? "" : ", ", NumberWithError{of.mean, of.error}.text(),
                         of.rows, of.part, of_what);
  return words;
}

/// Members of a line of metrics.jsonl, each with a comma before it; `begin` stands before their names.
std::string members_of(const std::vector<LikelihoodOfRows>& found, const std::string& begin) {
  std::string members;
  for (const LikelihoodOfRows& of : found) {
    const std::string name = begin + (of.part == "training" ? "" : of.part + "_") + "log_likelihood";
    members += fmt::format(",\"{0}\":{1:.17g},\"{0}_error\":{2:.17g}", name, of.mean, of.error);
  }
  return members;
}

}  // namespace

bool TrainRemarks::give_likelihood(const RunFolder& folder, const TrainRequest& request) const {
  const MetricsLog log = read_metrics_log(folder.metrics_path());
  const Executor hearing(request.threads, request.stop);
  const Execution execution{hearing, experiment_.random().child("final"), display_};
  const std::uint64_t epoch = std::max<std::uint64_t>(log.epochs, 1) - 1;
  const BestModel* best = experiment_.best();
  if (best && best->epoch() == 0) best = nullptr;
  const bool best_is_last = best && best->update() == log.updates;
  const double training = experiment_.operations_per_update() * static_cast<double>(total_);
  const std::optional<double> log_z = exact_log_z_at_end(experiment_.effective_config(), log);
  std::vector<LikelihoodOfRows> found, of_best;
  try {
    found =
        exact_likelihoods(experiment_.model(), experiment_.run_data(), epoch, training, log_z, registries_, execution);
    if (best && !best_is_last && !found.empty())
      if (const auto kept = with_parameters(experiment_.model(), best->parameters()))
        of_best = exact_likelihoods(*kept, experiment_.run_data(), epoch, training, {}, registries_, execution);
  } catch (const Stopped&) {
    return false;
  }
  const auto rows = fewest_rows_of_figures(experiment_.effective_config());
  const bool of_fewer = rows && any_part_has_more(experiment_.run_data(), *rows);
  const std::string extent =
      extent_of_figures(experiment_.effective_config(), experiment_.model().layout(), rows.value_or(0));
  if (found.empty()) {
    if (display_ && of_fewer)
      display_->warn(
          fmt::format("figures along the run are of {}; 'harmonium evaluate {}' takes all, and finds or estimates the "
                      "log likelihood.",
                      extent, folder.path().string()));
    return true;
  }
  // Of a machine above another they are no data, whose likelihood this is then not.
  const std::string of_what = request.rows_are.empty() ? "" : " of " + request.rows_are;
  write_file_atomically(folder.final_path(),
                        fmt::format("{{\"epoch\":{},\"update\":{}{}{}}}\n", log.epochs, log.updates,
                                    members_of(found, ""), members_of(best_is_last ? found : of_best, "best.")));
  if (!display_) return true;
  std::string remark =
      fmt::format("log likelihood of all rows, exact, in nats{}: {}",
                  experiment_.data().train.transform() ? " of standardized values" : "", words_of(found, of_what));
  if (!of_best.empty())
    remark += fmt::format("; of the best model, after epoch {}: {}", best->epoch(), words_of(of_best, of_what));
  const std::string weights = weights_setting(experiment_.effective_config());
  if (!weights.empty()) remark += fmt::format("; all rows weigh alike in it, whatever {}", weights);
  if (of_fewer) remark += fmt::format(". Figures along the run are of {}", extent);
  // What the last line of the log has said of all rows needs no note in it.
  if (of_fewer || !of_best.empty() || !weights.empty() ||
      (log.updates >= enough_updates && !due_last(experiment_.figures(), log.epochs)))
    display_->warn(remark + ".");
  else display_->note(remark + ".");
  warn_of_nothing_learned(found[0], log.updates, of_what);
  return true;
}

void TrainRemarks::warn_of_nothing_learned(const LikelihoodOfRows& found, std::uint64_t updates,
                                           const std::string& of_what) const {
  // A part of a deep machine is trained to another law than that of its couplings.
  if (const Value* estimator = experiment_.effective_config().find("estimator");
      estimator && is_of_type(*estimator, "doubled"))
    return;
  const auto alone = independent_likelihood(experiment_.data().train, experiment_.model().layout());
  if (!alone || updates < enough_updates || explains_more(found, *alone, experiment_.model().parameter_layout()))
    return;
  const bool less = found.mean < 1.01 * *alone;
  display_->warn(fmt::format(
      "the log likelihood of the training rows{}, {:.4f}, is {} that of independent columns, {:.4f}: {}", of_what,
      found.mean, less ? "less than" : "no more than", *alone,
      less ? "the chains of the updates have fallen behind the model. Lower optimizer.learning_rate, or take more "
             "estimator.gibbs_steps."
           : fmt::format(
                 "after {} updates the couplings say nothing of the rows. Take a larger initializer.std (1 for a "
                 "few columns) or optimizer.learning_rate, or train longer (--epochs).",
                 updates)));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
