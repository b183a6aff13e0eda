#include <harmonium/framework/training/mixing_metric.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/inference/moment_agreement.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_compared = 2000;  // of draws and of data that moments are taken of
constexpr double largest_r_hat = 1e6;  // that of chains which stand still is infinite

/// Rows of the training data that are states; none where entries are missing, values lie between states, or rows have weights
/// of their own.
std::optional<Chains> states_of_data(const Dataset& train, const Layout& layout) {
  if (train.has_missing() || train.weighted() || train.rows() < 4 || !has_probability(train, layout)) return {};
  return spread_rows(train, layout, rows_compared, 0);
}

}  // namespace

void MixingMetric::Options::bind(OptionBinder& o) {
  o.option("every", every, "epochs between two values; 0: never", at_least(0));
  o.option("steps", steps, "steps of each chain, of which the second half is used", at_least(100));
  o.option("chains", chains, "chains of each start", at_least(4));
  o.component("sampler", sampler, "what moves the chains", "gibbs");
}

void MixingMetric::begin(const RunOutline& run) {
  try {
    options_.sampler->check({.model = run.model});
  } catch (const CapabilityError& error) {
    throw CapabilityError(fmt::format("observer 'mixing': {}", error.what()));
  }
  if (options_.every == 0) return;
  check_adapted(*options_.sampler, "", MixingPlan{.num_steps = options_.steps}.unused() + 1,
                fmt::format("observer 'mixing': steps = {}, of which the second half is used", options_.steps),
                [](std::uint64_t least) { return fmt::format("steps = {}", MixingPlan::steps_of_unused(least - 1)); });
}

void MixingMetric::memory(const RunOutline& run, MemoryNeed& need) const {
  const double columns = static_cast<double>(run.model.layout().columns(run.model.layout().all()));
  const double chains = 4.0 * static_cast<double>(options_.chains * options_.sampler->rungs());
  need.add_passing("the chains of the observer 'mixing'",
                   (chains + 2.0 * static_cast<double>(rows_compared)) * columns * sizeof(Real) +
                       chains * static_cast<double>(options_.steps) * 8.0 * sizeof(double),
                   "the observer's chains and steps");
  options_.sampler->memory(run.model, need);
}

Verdict MixingMetric::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  if (options_.every == 0 || end.epoch % options_.every != 0) return Verdict::go_on;
  const std::optional<Chains> data = states_of_data(*end.data.train, end.model.layout());
  const MixingPlan plan{
      .chains_per_start = options_.chains, .num_steps = options_.steps, .num_rows = data ? rows_compared : 0};
  // The bar is the run's.
  const Execution execution{end.execution.executor, end.execution.random.child(fmt::format("epoch {}", end.epoch))};
  MixingReport report;
  try {
    report = examine_mixing(end.model, *options_.sampler, data ? &*data : nullptr, plan, execution);
  } catch (const NumericalError&) {  // chains have run away: that is an answer, and no fault of the training
    record.emplace_back("mixing.mixed", 0.0);
    return Verdict::go_on;
  }
  const auto add = [&](const char* name, double value) {
    if (std::isfinite(value)) record.emplace_back(name, value);  // the correlation of what is constant is none
  };
  double r_hat = 1.0;
  for (const ObservableMixing& o : report.observables) r_hat = std::max(r_hat, o.r_hat);
  if (!report.too_short) add("mixing.mixed", report.mixed ? 1.0 : 0.0);
  add("mixing.autocorrelation_time", report.slowest().time());
  add("mixing.effective_samples", report.effective_sample_size());
  add("mixing.r_hat", std::min(r_hat, largest_r_hat));
  if (!report.modes.singular_values.empty()) add("mixing.singular_value", report.modes.singular_values[0]);
  if (!data || report.rows.size() < 4) return Verdict::go_on;
  const MomentAgreement a = compare_moments(end.model.layout(), report.rows, *data);
  add("moments.means", a.means.pearson);
  add("moments.means_slope", a.means.slope);
  add("moments.correlations", a.correlations.pearson);
  add("moments.correlations_slope", a.correlations.slope);
  return Verdict::go_on;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
