#include <harmonium/program/work/row_figures.hpp>

#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/evaluation_reasons.hpp>
#include <harmonium/program/work/row_kinds.hpp>
#include <harmonium/program/work/row_work.hpp>
#include <harmonium/program/work/summed_rows.hpp>
#include <harmonium/program/work/variational_bound.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

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
  const double sum = -judge_summed(request, model, data, kinds.exact, offers, part(execution, sums), result, table);
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
