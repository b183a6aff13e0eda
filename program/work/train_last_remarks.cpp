// What a run says of itself at its end.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/metrics_log.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/training/parts_of_data.hpp>
#include <harmonium/program/work/gradient_left.hpp>
#include <harmonium/program/work/likelihood_of_rows.hpp>
#include <harmonium/program/work/train_remarks.hpp>
#include <harmonium/program/work/verdict.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint64_t enough_updates = 300;  // nobody expects more of fewer

/// That the proposals of a phase are hardly ever accepted, at the last update, and what to do about it. The sampler is
/// looked for where `config`, the configuration as it was given, has it.
void warn_of_standstill(const SamplerReport& moves, const std::string& phase, const Value& config,
                        const Value& effective, Display& display) {
  if (!moves.ill_chosen()) return;
  const auto section = [](const Value* from, const std::string& name) {
    return from && from->is_table() ? from->find(name) : nullptr;
  };
  const Value* estimator = section(&effective, "estimator");
  const Value* sampler = section(section(estimator, phase), "sampler");
  if (!sampler) sampler = section(estimator, "sampler");
  const bool by_phase = section(section(&config, "estimator"), phase) != nullptr;
  const std::string path = by_phase ? "estimator." + phase + ".sampler" : "estimator.sampler";
  display.warn(fmt::format("chains of the {} phase move much more slowly than they could: {} at the last update. {}",
                           phase, moves.summary(),
                           sampler ? proposal_remedy(*sampler, path, moves.acceptance) : "Take another sampler."));
}

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

/// The best model, where it is another than that after the last update; null where it is not, or is not kept.
std::unique_ptr<EnergyModel> other_best_model(const Experiment& experiment, std::uint64_t updates) {
  const BestModel* best = experiment.best();
  if (!best || best->epoch() == 0 || best->update() == updates) return nullptr;
  std::unique_ptr<EnergyModel> model = experiment.model().copy();
  if (model)
    model->update_parameters([&](std::span<Real> theta) { std::ranges::copy(best->parameters(), theta.begin()); });
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

}  // namespace

void TrainRemarks::at_end(const TrainingSummary& summary, const Value& config) const {
  if (!display_) return;
  const PhaseReport& positive = summary.last_estimate.positive;
  if (!positive.exact && !positive.method.empty())
    display_->note(fmt::format("the positive phase was not exact: {} at the last update", positive.method));
  const Value& effective = experiment_.effective_config();
  warn_of_standstill(positive.sampler, "positive", config, effective, *display_);
  warn_of_standstill(summary.last_estimate.negative.sampler, "negative", config, effective, *display_);
  if (summary.shrunk_steps > 0)
    display_->warn(fmt::format("{} of {} steps led to parameters of no density and were halved until they did not.",
                               summary.shrunk_steps, summary.updates));
}

void TrainRemarks::on_gradient(const TrainRequest& request) const {
  if (!display_) return;
  const Executor hearing(request.threads, request.stop);
  try {
    const auto left = gradient_left(experiment_.model(), experiment_.data().train, experiment_.effective_config(),
                                    registries_, {hearing, experiment_.random().child("gradient_left")});
    if (!left || left->converged()) return;
    const std::string times =
        left->ratio() < 10.0 ? fmt::format("{:.2g}", left->ratio()) : fmt::format("{:.0f}", left->ratio());
    display_->warn(fmt::format(
        "the parameters are still on their way: the gradient of the {} is {} times what the chance of {} rows alone "
        "makes, and falls well below half of that once they have arrived. Train longer (--epochs), or take a larger "
        "optimizer.learning_rate and let it fall (optimizer.schedule).",
        left->of_likelihood ? "log likelihood" : "objective", times, left->rows));
  } catch (const Stopped&) {  // the run is complete without it
  }
}

void TrainRemarks::on_followed(const RunFolder& folder, std::uint64_t update) const {
  if (!display_) return;
  if (const auto why = experiment_.stopped_early(); why && update < total_)
    display_->warn(fmt::format("stopped early, after epoch {} of {}: {}.", experiment_.epochs_of(update),
                               experiment_.epochs_of(total_), *why));
  const BestModel* best = experiment_.best();
  if (!best) return;
  if (best->epoch() > 0)
    display_->warn(fmt::format("best model: {} = {:.6g} after epoch {}, update {}. It is kept in {}.", best->metric(),
                               best->value(), best->epoch(), best->update(), folder.best_path().string()));
  else display_->warn(fmt::format("{} was never measured: there is no best model.", best->metric()));
}

bool TrainRemarks::give_likelihood(const RunFolder& folder, const TrainRequest& request) const {
  const MetricsLog log = read_metrics_log(folder.metrics_path());
  const Executor hearing(request.threads, request.stop);
  const Execution execution{hearing, experiment_.random().child("final"), display_};
  const std::uint64_t epoch = std::max<std::uint64_t>(log.epochs, 1) - 1;
  std::vector<LikelihoodOfRows> found, of_best;
  try {
    found = exact_likelihoods(experiment_.model(), experiment_.run_data(), epoch, registries_, execution);
    const auto kept = found.empty() ? nullptr : other_best_model(experiment_, log.updates);
    if (kept) of_best = exact_likelihoods(*kept, experiment_.run_data(), epoch, registries_, execution);
  } catch (const Stopped&) {
    return false;
  }
  const auto rows = fewest_rows_of_figures(experiment_.effective_config());
  const bool of_fewer = rows && any_part_has_more(experiment_.run_data(), *rows);
  const std::string extent =
      extent_of_figures(experiment_.effective_config(), experiment_.model().layout(), rows.value_or(0));
  if (found.empty()) {
    if (display_ && of_fewer)
      display_->note(fmt::format("figures along the run are of {}; 'harmonium evaluate {}' takes all.", extent,
                                 folder.path().string()));
    return true;
  }
  // Of a machine above another they are no data, whose likelihood this is then not.
  const std::string of_what = request.rows_are.empty() ? "" : " of " + request.rows_are;
  std::string line = fmt::format("{{\"epoch\":{},\"update\":{}", log.epochs, log.updates);
  for (const LikelihoodOfRows& of : found) {
    const std::string name = (of.part == "training" ? "" : of.part + "_") + "log_likelihood";
    line += fmt::format(",\"{0}\":{1:.17g},\"{0}_error\":{2:.17g}", name, of.mean, of.error);
  }
  write_file_atomically(folder.final_path(), line + "}\n");
  if (!display_) return true;
  std::string remark = "log likelihood of all rows, exact, in nats: " + words_of(found, of_what);
  if (!of_best.empty())
    remark +=
        fmt::format("; of the best model, after epoch {}: {}", experiment_.best()->epoch(), words_of(of_best, of_what));
  if (of_fewer) remark += fmt::format(". Figures along the run are of {}", extent);
  // What the last line of the log has said of all rows needs no note in it.
  if (of_fewer || (log.updates >= enough_updates && !due_last(experiment_.figures(), log.epochs)))
    display_->warn(remark + ".");
  else display_->note(remark + ".");
  warn_of_nothing_learned(found[0], log.updates, of_what);
  return true;
}

void TrainRemarks::warn_of_nothing_learned(const LikelihoodOfRows& found, std::uint64_t updates,
                                           const std::string& of_what) const {
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

bool TrainRemarks::give_verdict(const RunFolder& folder, const TrainRequest& request) const {
  if (!display_) return true;
  const double operations = experiment_.operations_per_update() * static_cast<double>(total_);
  const Executor hearing(request.threads, request.stop);
  try {
    const auto found =
        verdict_of_run(experiment_.model(), experiment_.data().train, operations, experiment_.effective_config(),
                       registries_, {hearing, experiment_.random().child("verdict"), display_});
    if (!found) return true;
    write_file_atomically(folder.verdict_path(), found->verdict + "\n");
    const std::string line = fmt::format("verdict on Gibbs chains: {}.", found->verdict);
    if (found->mixed || found->too_short) display_->note(line);
    else display_->warn(fmt::format("{} 'harmonium diagnose {}' says more.", line, folder.path().string()));
    if (found->mixed)
      for (const std::string& advice : found->advice) display_->note(advice);
  } catch (const Stopped&) {
    return false;
  } catch (const NumericalError& error) {
    const std::string verdict = fmt::format("none, they run away ({})", error.what());
    write_file_atomically(folder.verdict_path(), verdict + "\n");
    display_->warn(fmt::format("verdict on Gibbs chains: {}.", verdict));
  }
  return true;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
