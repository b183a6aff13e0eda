#include <harmonium/program/work/row_figures.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/energy_plan.hpp>
#include <harmonium/program/work/evaluation_reasons.hpp>
#include <harmonium/program/work/row_kinds.hpp>
#include <harmonium/program/work/row_work.hpp>
#include <harmonium/program/work/variational_bound.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Rows at once: what is in memory does not grow with the data. Where each is a sum over states of the latent units, so few that a
/// bar moves and a signal finds rows that are done; enough for many threads.
Index rows_of_piece(const EnergyModel& model) {
  constexpr double most = 2000.0, least = 32.0, operations = 4e9;
  if (!offers_free_energy(model) || model.free_energy()->closed(model.layout().observed())) return 2000;
  return static_cast<Index>(std::clamp(operations / free_energy_operations(model), least, most));
}

/// Where these sums will take long, it is said before.
std::string words_on_long_sums(const EvaluateRequest& request, const EnergyModel& model, Index rows) {
  constexpr double long_enough = 10.0;
  if (!offers_free_energy(model) || model.free_energy()->closed(model.layout().observed())) return "";
  const double seconds = seconds_of_row(model) * static_cast<double>(rows);
  if (seconds <= long_enough) return "";
  return fmt::format(
      "the sums over latent units of {} rows take some {} of one core. {}Ctrl-C tells what the rows come to that are "
      "done by then.",
      rows, about_so_long(seconds), request.left_out_by.empty() ? "" : request.left_out_by + " leaves them out. ");
}

/// Of rows whose sums are exact and of others.
LogPartitionEstimate mean_of(double exact, const LogPartitionEstimate& others, double share_of_others) {
  const auto mixed = [&](double other) { return (1.0 - share_of_others) * exact + share_of_others * other; };
  LogPartitionEstimate all = others;
  all.log_z = mixed(others.log_z);
  all.low = mixed(others.low);
  all.high = mixed(others.high);
  all.error = share_of_others * others.error;
  return all;
}

/// What a model offers of rows whose sums are exact.
struct Offers {
  bool free_energy, likelihood, labels, pseudo, reconstruction;
};

/// What the rows came to that were done when a signal came, their mean free energy being `mean`: nothing else is left of them.
std::string done_in_words(const std::string& called, Index done, Index all, double mean,
                          const std::optional<double>& error, const std::optional<double>& log_z) {
  return fmt::format("{}{}{} of {} rows were done: {} {:.6f}{} nats a sample.", called, called.empty() ? "" : ": ",
                     done, all, log_z ? "log_likelihood" : "free_energy", log_z ? -mean - *log_z : mean,
                     error ? fmt::format(" ± {:.2g}", *error) : std::string());
}

template <class T>
void put_rows(std::vector<T>& column, const std::vector<T>& values, std::span<const Index> which) {
  for (Index i = 0; i < which.size(); ++i) column[which[i]] = values[i];
}

void put_classes(RowTable& table, const ToldClasses& told, std::span<const Index> which) {
  put_rows(table.predicted, told.predicted, which);
  put_rows(table.predicted_probability, told.probability, which);
  put_rows(table.accuracy, told.right, which);
  put_rows(table.label_log_likelihood, told.log_likelihood, which);
}

/// Sets the figures that are means over `rows`, whose sums are exact, and returns the mean free energy.
double judge_exact(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data,
                   std::span<const Index> rows, const Offers& offers, const Execution& execution, Evaluation& result,
                   RowTable* table) {
  const auto n = static_cast<double>(rows.size());
  double free_energy = 0.0, pseudo_likelihood = 0.0, error = 0.0;
  ErrorOverRows over_rows;
  Classification classes;
  Index done = 0;
  const Index piece = rows_of_piece(model);
  if (execution.display && !rows.empty()) {
    if (const std::string words = words_on_long_sums(request, model, rows.size()); !words.empty())
      execution.display->warn(words);
    execution.display->progress(0.0, "");
  }
  const UnfinishedWork unfinished;  // a signal is heard between rows, so that what is done can be told
  try {
    for (Index first = 0; first < rows.size(); first += piece) {
      const auto which = rows.subspan(first, std::min(piece, rows.size() - first));
      const double share = static_cast<double>(which.size()) / n;
      const Chains x = rows_of(data, model.layout(), which, 0);
      const HeldMask seen = seen_of(data, model.layout(), which);
      const auto put = [&](std::vector<double>& column, const std::vector<double>& values) {
        put_rows(column, values, which);
      };
      if (offers.free_energy) {
        const std::vector<double> energies = free_energies_of_seen(model, x, seen, request.beta, execution.executor);
        free_energy += share * mean_of_rows(energies, execution.executor);
        over_rows.add(energies);
        done = first + which.size();
        if (table) put(table->free_energy, energies);
      }
      if (offers.pseudo) {
        const std::vector<double> figures = pseudo_log_likelihoods(model, x, request.beta, execution.executor);
        pseudo_likelihood += share * mean_of_rows(figures, execution.executor);
        if (table) put(table->pseudo_log_likelihood, figures);
      }
      if (offers.reconstruction) error += share * reconstruction_error(model, x, request.beta, execution.executor);
      if (offers.labels) {
        const ToldClasses told = tell_classes(model, label_layer, x, seen, request.beta, execution.executor);
        classes.add(told.summary());
        if (table) put_classes(*table, told, which);
      }
      execution.executor.check_stop();
      if (execution.display) execution.display->progress(static_cast<double>(first + which.size()) / n, "evaluating");
    }
  } catch (const Stopped&) {
    if (execution.display && done > 0)
      execution.display->warn(done_in_words(request.called, done, rows.size(),
                                            free_energy * n / static_cast<double>(done), over_rows.error(),
                                            offers.likelihood ? result.log_z : std::nullopt));
    throw;
  }
  result.rows_error = over_rows.error();
  if (offers.pseudo) result.pseudo_log_likelihood = pseudo_likelihood;
  if (offers.reconstruction) result.reconstruction_error = error;
  if (classes.rows > 0) {
    result.accuracy = classes.accuracy;
    result.label_log_likelihood = classes.log_likelihood;
    if (classes.rows > 1) {
      result.accuracy_error = classes.accuracy_error();
      result.label_log_likelihood_error = classes.log_likelihood_error();
    }
    result.num_classified = classes.rows;
  }
  return free_energy;
}

/// Takes no sums over latent units of rows, however few their states are.
void leave_to_bound(RowKinds& kinds, Index rows) {
  kinds.exact.clear();
  kinds.estimated.resize(rows);
  std::iota(kinds.estimated.begin(), kinds.estimated.end(), Index{0});
}

/// Takes the bound of `which` rows, of which there are `share` of all, the others summing to `exact`.
void take_bound(const std::optional<BoundOfRows>& found, double exact, double share, std::span<const Index> which,
                Index rows, RowFigures& figures, RowTable* table) {
  if (!found) return;
  figures.variational_bound = (1.0 - share) * exact + share * found->mean;
  figures.bound_error = share * found->error;
  if (!table || found->each.empty()) return;
  table->bound.assign(rows, std::numeric_limits<double>::quiet_NaN());
  put_rows(table->bound, found->each, which);
}

std::optional<LogPartitionEstimate> annealed(const EvaluateRequest& request, const EnergyModel& model,
                                             const Dataset& data, const std::vector<Index>& hard, const LogZWay& way,
                                             const Execution& execution, RowFigures& figures) {
  const Layout& layout = model.layout();
  const auto n = static_cast<double>(hard.size());
  MemoryNeed need;
  need.add("the rows that are annealed", n * static_cast<double>(layout.columns(layout.all())) * sizeof(Real),
           "--data");
  need.check("the likelihood of the rows");
  const Chains rows = rows_of(data, layout, hard, 0);
  const HeldMask held = seen_of(data, layout, hard);
  const TakenTime time;
  std::optional<LogPartitionEstimate> found =
      way.estimate_mean(model, request.beta, rows, held, execution.part("rows"), figures.no_log_sums);
  if (found) figures.advice = way.advice_on_rows(*found, time.of(execution.random.seed));
  if (found) found->shift(mean_of_rows(log_base(layout, rows, &held), execution.executor));
  return found;
}

}  // namespace

RowFigures judge_rows(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data, bool probability,
                      const LogZWay& way, const Registries& registries, const Execution& execution, Evaluation& result,
                      RowTable* table) {
  RowFigures figures;
  RowKinds kinds = kinds_of_rows(model, data, probability);
  if (request.bound_alone && sums_states_row_by_row(model, request.beta)) leave_to_bound(kinds, data.rows());
  figures.seen = kinds.seen;
  const bool whole = kinds.with_holes == 0, exact = kinds.estimated.empty();
  const Offers offers{offers_free_energy(model), probability, offers_classification(model, label_layer),
                      whole && probability && offers_pseudo_likelihood(model), whole && offers_reconstruction(model)};
  if (table) begin_columns(*table, {offers.free_energy, offers.pseudo, offers.labels}, data.rows());
  if (request.bound_alone && exact && !request.bound_where_any)
    throw CapabilityError(
        "--bound: the model's latent units can be summed out, and no bound is needed. Leave --bound out.");
  const bool bounded = !exact || (stacked_machines(model) && probability);
  // Of all work, about: sums that are exact, then the bound, then the rows that are annealed.
  const double summed = !exact ? 0.1 : bounded ? 0.9 : 1.0;
  PartOfWork sums(execution.display, 0.0, summed, ""),
      bounds(execution.display, summed, exact || request.bound_alone ? 1.0 : 2.0 * summed, "bound"),
      rest(execution.display, 2.0 * summed, 1.0, "");
  const auto part = [](const Execution& of, PartOfWork& shown) { return Execution{of.executor, of.random, &shown}; };
  const double sum = -judge_exact(request, model, data, kinds.exact, offers, part(execution, sums), result, table);
  if (!exact) result.rows_error.reset();
  if (exact) {
    figures.log_sums = LogPartitionEstimate::of_exact(sum, "exact");
    if (bounded)  // the bound is what there is of larger ones
      take_bound(variational_bound(model, request.beta, data, kinds.exact, registries,
                                   part(execution.part("variational_bound"), bounds)),
                 0.0, 1.0, kinds.exact, data.rows(), figures, table);
    return figures;
  }
  if (!probability) {
    figures.no_log_sums = "the data holds values between the units' states. Set data.binarize to make states of them.";
    return figures;
  }
  const std::vector<Index>& hard = kinds.estimated;
  const double share = static_cast<double>(hard.size()) / static_cast<double>(data.rows());
  take_bound(
      variational_bound(model, request.beta, data, hard, registries, part(execution.part("variational_bound"), bounds)),
      sum, share, hard, data.rows(), figures, table);
  if (request.bound_alone && figures.variational_bound) {
    figures.no_log_sums = bound_was_asked;
    return figures;
  }
  const auto found = annealed(request, model, data, hard, way, part(execution, rest), figures);
  if (found) figures.log_sums = mean_of(sum, *found, share);
  else
    figures.no_log_sums =
        (whole ? "the model's latent units are coupled given the observed ones, and more than 16 bits "
                 "of them to enumerate: "
               : fmt::format("entries are missing in {} rows: ", kinds.with_holes)) +
        figures.no_log_sums;
  return figures;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
