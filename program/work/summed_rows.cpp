#include <harmonium/program/work/summed_rows.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/row_work.hpp>

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

/// What the rows came to that were done when a signal came, their mean free energy being `mean`: nothing else is left of them.
std::string done_in_words(const std::string& called, Index done, Index all, double mean,
                          const std::optional<double>& error, const std::optional<double>& log_z) {
  return fmt::format("{}{}{} of {} rows were done: {} {:.6f}{} nats a sample.", called, called.empty() ? "" : ": ",
                     done, all, log_z ? "log_likelihood" : "free_energy", log_z ? -mean - *log_z : mean,
                     error ? fmt::format(" ± {:.2g}", *error) : std::string());
}

void put_classes(RowTable& table, const ToldClasses& told, std::span<const Index> which) {
  put_rows(table.predicted, told.predicted, which);
  put_rows(table.predicted_probability, told.probability, which);
  put_rows(table.accuracy, told.right, which);
  put_rows(table.label_log_likelihood, told.log_likelihood, which);
}

/// The means of rows that are judged piece by piece.
class MeansOfRows {
 public:
  MeansOfRows(const EnergyModel& model, double beta, const Offers& offers, Index rows, RowTable* table)
      : model_(model), beta_(beta), offers_(offers), rows_(rows), table_(table) {}

  void add(const Dataset& data, std::span<const Index> which, const Executor& executor) {
    const double share = static_cast<double>(which.size()) / static_cast<double>(rows_);
    const Chains x = rows_of(data, model_.layout(), which, 0);
    const HeldMask seen = seen_of(data, model_.layout(), which);
    if (offers_.free_energy) {
      const std::vector<double> energies = free_energies_of_seen(model_, x, seen, beta_, executor);
      free_energy_ += share * mean_of_rows(energies, executor);
      over_rows_.add(energies);
      done_ += which.size();
      if (table_) put_rows(table_->free_energy, energies, which);
    }
    if (offers_.pseudo) {
      const std::vector<double> figures = pseudo_log_likelihoods(model_, x, beta_, executor);
      pseudo_likelihood_ += share * mean_of_rows(figures, executor);
      if (table_) put_rows(table_->pseudo_log_likelihood, figures, which);
    }
    if (offers_.reconstruction) error_ += share * reconstruction_error(model_, x, beta_, executor);
    if (offers_.labels) {
      const ToldClasses told = tell_classes(model_, label_layer, x, seen, beta_, executor);
      classes_.add(told.summary());
      if (table_) put_classes(*table_, told, which);
    }
  }

  double free_energy() const { return free_energy_; }

  void tell(Evaluation& result) const {
    result.rows_error = over_rows_.error();
    if (offers_.pseudo) result.pseudo_log_likelihood = pseudo_likelihood_;
    if (offers_.reconstruction) result.reconstruction_error = error_;
    if (classes_.rows == 0) return;
    result.accuracy = classes_.accuracy;
    result.label_log_likelihood = classes_.log_likelihood;
    if (classes_.rows > 1) {
      result.accuracy_error = classes_.accuracy_error();
      result.label_log_likelihood_error = classes_.log_likelihood_error();
    }
    result.num_classified = classes_.rows;
  }

  /// Says what the rows came to that are done; nothing else is left of them.
  void tell_done(const EvaluateRequest& request, const std::optional<double>& log_z, Display& display) const {
    if (done_ == 0) return;
    const double mean = free_energy_ * static_cast<double>(rows_) / static_cast<double>(done_);
    display.warn(done_in_words(request.called, done_, rows_, mean, over_rows_.error(),
                               offers_.likelihood ? log_z : std::nullopt));
  }

 private:
  const EnergyModel& model_;
  double beta_;
  Offers offers_;
  Index rows_, done_ = 0;
  RowTable* table_;
  double free_energy_ = 0.0, pseudo_likelihood_ = 0.0, error_ = 0.0;
  ErrorOverRows over_rows_;
  Classification classes_;
};

}  // namespace

double judge_summed(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data,
                    std::span<const Index> rows, const Offers& offers, const Execution& execution, Evaluation& result,
                    RowTable* table) {
  const auto n = static_cast<double>(rows.size());
  const Index piece = rows_of_piece(model);
  if (execution.display && !rows.empty()) {
    if (const std::string words = words_on_long_sums(request, model, rows.size()); !words.empty())
      execution.display->warn(words);
    execution.display->progress(0.0, "");
  }
  MeansOfRows means(model, request.beta, offers, rows.size(), table);
  const UnfinishedWork unfinished;  // a signal is heard between rows, so that what is done can be told
  try {
    for (Index first = 0; first < rows.size(); first += piece) {
      const auto which = rows.subspan(first, std::min(piece, rows.size() - first));
      means.add(data, which, execution.executor);
      execution.executor.check_stop();
      if (execution.display) execution.display->progress(static_cast<double>(first + which.size()) / n, "evaluating");
    }
  } catch (const Stopped&) {
    if (execution.display) means.tell_done(request, result.log_z, *execution.display);
    throw;
  }
  means.tell(result);
  return means.free_energy();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
