#include <harmonium/program/work/variational_bound.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/inference/scaled_copy.hpp>
#include <harmonium/framework/inference/stack_bound.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of a stack, by draws that go up through its machines: many a row where rows are few.
std::optional<BoundOfRows> bound_of_stack(const StackedMachines& stack, const Layout& layout, const Dataset& data,
                                          std::span<const Index> rows, const Execution& execution) {
  if (data.has_missing()) return {};
  constexpr Index piece = 2000, all_draws = 20'000;
  const Index draws = std::clamp<Index>(all_draws / rows.size(), 10, 1000);
  BoundOfRows found;
  double sum = 0.0, variance = 0.0;
  std::vector<double> errors;
  for (Index first = 0; first < rows.size(); first += piece) {
    const auto which = rows.subspan(first, std::min(piece, rows.size() - first));
    const Chains x = rows_of(data, layout, which, 0);
    const auto share = [&](Index k) { return static_cast<double>(k) / static_cast<double>(rows.size()); };
    PartOfWork shown(execution.display, share(first), share(first + which.size()), "");
    Execution own = execution.part("rows" + std::to_string(first));
    own.display = &shown;
    std::vector<double> bounds = stack_bounds(stack, x, draws, own, &errors);
    const std::vector<double> base = log_base(layout, x);
    for (Index r = 0; r < bounds.size(); ++r) bounds[r] += base[r];
    for (const double b : bounds) sum += b;
    found.each.insert(found.each.end(), bounds.begin(), bounds.end());
    for (const double e : errors) variance += e * e;
  }
  found.mean = sum / static_cast<double>(rows.size());
  found.error = std::sqrt(variance) / static_cast<double>(rows.size());
  return found;
}

}  // namespace

std::optional<BoundOfRows> variational_bound(const EnergyModel& model, double beta, const Dataset& data,
                                             std::span<const Index> rows, const Registries& registries,
                                             const Execution& execution) {
  if (const StackedMachines* stack = stacked_machines(model); stack && beta == 1.0)
    return bound_of_stack(*stack, model.layout(), data, rows, execution);
  const std::unique_ptr<EnergyModel> scaled = beta == 1.0 ? nullptr : scaled_copy(model, beta);
  if (beta != 1.0 && !scaled) return {};
  const EnergyModel& own = scaled ? *scaled : model;
  Value effective;
  const auto phase =
      registries.make<PhaseEstimator>(make_table({{"type", make_value(std::string("mean_field"))}}), effective);
  try {
    phase->check(own, Phase::positive);
  } catch (const CapabilityError&) {
    return {};
  }
  phase->begin(own, Phase::positive, {.rows = rows.size(), .missing = data.has_missing()});
  constexpr Index piece = 500;
  const std::vector<double> marginals = data.column_means();
  std::vector<Real> unused(own.parameter_layout().size());
  double sum = 0.0;
  for (Index first = 0; first < rows.size(); first += piece) {
    const auto which = rows.subspan(first, std::min(piece, rows.size() - first));
    const Chains x = rows_of(data, own.layout(), which, 0);
    const std::vector<double> weights(which.size(), 1.0 / static_cast<double>(which.size()));
    std::optional<HeldMask> seen;
    if (data.has_missing()) seen = seen_of(data, own.layout(), which);
    Posterior posterior;
    const PhaseReport report =
        phase->accumulate(own, {x, weights, posterior, seen ? &*seen : nullptr, marginals, which}, Phase::positive, 1.0,
                          unused, execution);
    if (!report.bound) return {};
    sum += *report.bound * static_cast<double>(which.size());
    for (const double h : log_base(own.layout(), x, seen ? &*seen : nullptr)) sum += h;
    execution.executor.check_stop();
    if (execution.display)
      execution.display->progress(static_cast<double>(first + which.size()) / static_cast<double>(rows.size()), "");
  }
  return BoundOfRows{sum / static_cast<double>(rows.size())};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
