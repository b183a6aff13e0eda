#include <harmonium/program/work/row_figures.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/variational_bound.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index piece = 2000;  // rows at once: what is in memory does not grow with the data

/// The rows of which an entry is missing; the shares of rows in which columns were seen.
std::vector<Index> rows_with_holes(const Dataset& data, std::vector<double>& seen_share) {
  std::vector<Index> with_holes;
  if (!data.has_missing()) return with_holes;
  seen_share.assign(data.cols(), 0.0);
  for (Index first = 0; first < data.rows(); first += piece) {
    std::vector<Index> which(std::min(piece, data.rows() - first));
    std::iota(which.begin(), which.end(), first);
    Matrix<std::uint8_t> seen = zeros<std::uint8_t>(which.size(), data.cols());
    data.seen(which, as_matrix(seen));
    for (Index r = 0; r < which.size(); ++r) {
      const auto row = row_of(seen, r);
      for (Index c = 0; c < row.size(); ++c) seen_share[c] += row[c] / static_cast<double>(data.rows());
      if (std::ranges::count(row, 0) > 0) with_holes.push_back(which[r]);
    }
  }
  if (with_holes.empty()) seen_share.clear();
  return with_holes;
}

/// The rows of [0, rows) that are not in `others`, which ascend.
std::vector<Index> all_but(const std::vector<Index>& others, Index rows) {
  std::vector<Index> rest;
  auto next = others.begin();
  for (Index r = 0; r < rows; ++r)
    if (next != others.end() && *next == r) ++next;
    else rest.push_back(r);
  return rest;
}

/// Of `easy` rows whose sums are exact and `hard` ones.
LogPartitionEstimate mean_of(double easy_mean, Index easy, const LogPartitionEstimate& hard, Index num_hard) {
  const double share = static_cast<double>(num_hard) / static_cast<double>(easy + num_hard);
  const auto mixed = [&](double of_hard) { return (1.0 - share) * easy_mean + share * of_hard; };
  LogPartitionEstimate all = hard;
  all.log_z = mixed(hard.log_z);
  all.low = mixed(hard.low);
  all.high = mixed(hard.high);
  all.error = share * hard.error;
  return all;
}

/// What a model offers of rows that are complete.
struct Offers {
  bool free_energy, labels, pseudo, reconstruction;
};

/// Sets the figures that are means over `rows`, all of them complete, and returns the mean free energy.
double judge_complete(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data,
                      std::span<const Index> rows, const Offers& offers, const Execution& execution, Evaluation& result,
                      RowTable* table) {
  const auto n = static_cast<double>(rows.size());
  double free_energy = 0.0, pseudo_likelihood = 0.0, error = 0.0;
  ErrorOverRows over_rows;
  Classification classes;
  for (Index first = 0; first < rows.size(); first += piece) {
    const auto which = rows.subspan(first, std::min(piece, rows.size() - first));
    const double share = static_cast<double>(which.size()) / n;
    const Chains x = rows_of(data, model.layout(), which, 0);
    const auto put = [&](std::vector<double>& column, const std::vector<double>& values) {
      for (Index i = 0; i < which.size(); ++i) column[which[i]] = values[i];
    };
    if (offers.free_energy) {
      const std::vector<double> energies = free_energies(model, x, request.beta, execution.executor);
      free_energy += share * mean_of_rows(energies, execution.executor);
      over_rows.add(energies);
      if (table) put(table->free_energy, energies);
    }
    if (offers.pseudo) {
      const std::vector<double> figures = pseudo_log_likelihoods(model, x, request.beta, 0, execution);
      pseudo_likelihood += share * mean_of_rows(figures, execution.executor);
      if (table) put(table->pseudo_log_likelihood, figures);
    }
    if (offers.reconstruction) error += share * reconstruction_error(model, x, request.beta, execution.executor);
    if (offers.labels) {
      const Classification part = classify(model, label_layer, x, request.beta, execution.executor);
      classes.accuracy += share * part.accuracy;
      classes.log_likelihood += share * part.log_likelihood;
    }
    execution.executor.check_stop();
    if (execution.display) execution.display->progress(static_cast<double>(first + which.size()) / n, "evaluating");
  }
  result.rows_error = over_rows.error();
  if (offers.pseudo) result.pseudo_log_likelihood = pseudo_likelihood;
  if (offers.reconstruction) result.reconstruction_error = error;
  if (offers.labels) {
    result.accuracy = classes.accuracy;
    result.label_log_likelihood = classes.log_likelihood;
  }
  return free_energy;
}

std::optional<LogPartitionEstimate> annealed(const EvaluateRequest& request, const EnergyModel& model,
                                             const Dataset& data, const std::vector<Index>& hard, const LogZWay& way,
                                             const Execution& execution, std::string& why_not) {
  const Layout& layout = model.layout();
  const auto n = static_cast<double>(hard.size());
  MemoryNeed need;
  need.add("the rows that are annealed", n * static_cast<double>(layout.columns(layout.all())) * sizeof(Real),
           "--data");
  need.check("the likelihood of the rows");
  const Chains rows = rows_of(data, layout, hard, 0);
  const HeldMask held = data.has_missing() ? seen_of(data, layout, hard) : HeldMask(layout.observed());
  std::optional<LogPartitionEstimate> found =
      way.estimate_mean(model, request.beta, rows, held, execution.part("rows"), why_not);
  if (found) found->shift(mean_of_rows(log_base(layout, rows, &held), execution.executor));
  return found;
}

}  // namespace

RowFigures judge_rows(const EvaluateRequest& request, const EnergyModel& model, const Dataset& data, bool probability,
                      const LogZWay& way, const Registries& registries, const Execution& execution, Evaluation& result,
                      RowTable* table) {
  RowFigures figures;
  std::vector<Index> hard = rows_with_holes(data, figures.seen), easy = all_but(hard, data.rows());
  const bool whole = hard.empty();
  const Offers offers{offers_free_energy(model), whole && offers_classification(model, label_layer),
                      whole && probability && offers_pseudo_likelihood(model), whole && offers_reconstruction(model)};
  if (table) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (offers.free_energy) table->free_energy.assign(data.rows(), none);
    if (offers.pseudo) table->pseudo_log_likelihood.assign(data.rows(), none);
  }
  if (request.bound_alone && offers.free_energy && whole)
    throw CapabilityError(
        "--bound: the model's latent units can be summed out, and no bound is needed. Leave --bound out.");
  const double exact = -judge_complete(request, model, data, easy, offers, execution, result, table);
  if (!whole) result.rows_error.reset();  // some rows' sums are not exact
  if (offers.free_energy && whole) {
    figures.log_sums = LogPartitionEstimate::of_exact(exact, "exact");
    if (stacked_machines(model) && probability)  // the bound is what there is of larger ones
      figures.variational_bound = variational_bound(model, request.beta, data, easy, registries,
                                                    execution.part("variational_bound"), &figures.bound_error);
    return figures;
  }
  if (!offers.free_energy) {
    hard = all_but({}, data.rows());
    easy.clear();
  }
  if (!probability) {
    figures.no_log_sums = "the data holds values between the units' states. Set data.binarize to make states of them.";
    return figures;
  }
  const double share = static_cast<double>(hard.size()) / static_cast<double>(data.rows());
  if (const auto bound =
          variational_bound(model, request.beta, data, hard, registries, execution.part("variational_bound")))
    figures.variational_bound = (1.0 - share) * exact + share * *bound;
  if (request.bound_alone && figures.variational_bound) {
    figures.no_log_sums = "the bound alone was asked for (--bound).";
    return figures;
  }
  const auto found = annealed(request, model, data, hard, way, execution, figures.no_log_sums);
  if (found) figures.log_sums = mean_of(exact, easy.size(), *found, hard.size());
  else
    figures.no_log_sums =
        (whole ? "the model's latent units are coupled given the observed ones, and more than 16 bits "
                 "of them to enumerate: "
               : fmt::format("entries are missing in {} rows: ", hard.size())) +
        figures.no_log_sums;
  return figures;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
