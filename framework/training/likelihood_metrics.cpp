#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/inference/always_exact.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/likelihood_at_end.hpp>
#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/parts_of_data.hpp>
#include <harmonium/framework/training/sums_over_holes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The free energies of the rows of a part that are measured on; what was not seen of them is summed out.
std::vector<double> energies_of(const EpochEnd& end, const Dataset& data, Index rows) {
  const Layout& layout = end.model.layout();
  const Chains x = spread_rows(data, layout, rows, end.epoch - 1);
  return free_energies_of_seen(end.model, x, seen_of(data, layout, spread(data, rows)), 1.0, end.execution.executor);
}

/// Operations of the free energies of all rows that are measured on. Throws CapabilityError where they cannot be had.
double operations_of_energies(const RunOutline& run, Index rows, const char* who) {
  if (!offers_free_energy(run.model))
    throw CapabilityError(
        fmt::format("observer '{}': the model offers no free energy, nor few enough latent states.", who));
  double operations = 0.0;
  for_each_part(run.data, [&](const std::string&, const Dataset& data) {
    const std::vector<Index> which = spread(data, rows);
    operations += operations_of_seen(run.model, seen_of(data, run.model.layout(), which), which.size());
  });
  check_summable(operations, run.model, who);
  return operations;
}

}  // namespace

void LogLikelihoodMetric::memory(const RunOutline& run, MemoryNeed& need) const {
  MetricOptions{every_, options_.metric.rows}.memory(run, need);
  memory_of_holes(run, need);
  options_.log_z->memory(run.model, need);
}

void LogLikelihoodMetric::Options::bind(OptionBinder& o) {
  metric.bind(o,
              "epochs between two values; 0: the smallest number for which log Z costs at most 2 % of the training's "
              "operations, or 200,000 an epoch");
  o.component("log_z", log_z, "how log Z is found", "exact");
}

void LogLikelihoodMetric::begin(const RunOutline& run) {
  const double of_rows = operations_of_energies(run, options_.metric.rows, "log_likelihood");
  check_probability(run, "log_likelihood");
  options_.log_z->check(run.model);
  const double of_log_z = options_.log_z->operations(run.model);
  // Where states are enumerated, latent ones or what was not seen, rows cost more than they do in training.
  const bool holes = any_holes(run.data),
             summed = holes || !run.model.free_energy()->closed(run.model.layout().observed());
  operations_ = of_log_z + (summed ? of_rows : 0.0);
  exact_ = dynamic_cast<const AlwaysExact*>(options_.log_z.get()) != nullptr;
  every_ = options_.metric.every;
  if (every_ > 0) return;
  cost_ = Cost::log_z;
  if (summed && of_rows > of_log_z) cost_ = holes ? Cost::holes : Cost::latent_states;
  constexpr double budget = 0.02;
  // An epoch of few rows takes longer than that for all that is no product.
  constexpr double always_allowed = 2e5;
  constexpr double never = 1e15;  // where the training itself takes no products
  const double of_epoch = std::max(budget * run.operations_per_epoch, always_allowed);
  every_ = static_cast<Index>(run.operations_per_epoch > 0.0 ? std::clamp(std::ceil(operations_ / of_epoch), 1.0, never)
                                                             : never);
}

bool LogLikelihoodMetric::at_end(double training) const {
  return exact_ && operations_ <= most_operations_at_end(training);
}

std::string LogLikelihoodMetric::pace() const {
  const auto due = [&](const char* what) { return fmt::format("{} that it is due once in {} epochs", what, every_); };
  switch (cost_) {
    case Cost::log_z: return due("log Z takes so long");
    case Cost::holes: return due("the sums over what rows with holes lack take so long");
    case Cost::latent_states: return due("the sums over the latent states of each row take so long");
    case Cost::as_set: break;
  }
  return fmt::format("its 'every' says that it is due once in {} epochs", every_);
}

Verdict LogLikelihoodMetric::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  if (due(every_, end.epoch)) measure(end, record);
  return Verdict::go_on;
}

void LogLikelihoodMetric::measure(const EpochEnd& end, MetricRecord& record) const {
  const LogPartitionEstimate z = options_.log_z->follow(end.model, 1.0, end.execution.part("log_z"));
  const auto add_known = [&](const std::string& name, double value) {
    if (std::isfinite(value)) record.emplace_back(name, value);
  };
  for_each_part(end.data, [&](const std::string& prefix, const Dataset& data) {
    const std::vector<double> energies = energies_of(end, data, options_.metric.rows);
    const double sum = -mean_of_rows(energies, end.execution.executor);
    const std::string name = prefix + "log_likelihood";
    if (z.agree) {  // else no figure that could be taken for one
      record.emplace_back(name, sum - z.log_z);
      if (const auto error = error_over_rows(energies)) record.emplace_back(name + "_error", *error);
    }
    if (z.exact) return;
    add_known(name + "_low", sum - z.high);
    add_known(name + "_high", sum - z.low);
  });
  if (z.agree) record.emplace_back("log_z", z.log_z);
  if (z.exact) return;
  if (z.agree) record.emplace_back("log_z_error", z.error);
  add_known("log_z_low", z.low);
  add_known("log_z_high", z.high);
}

void FreeEnergyGapMetric::memory(const RunOutline& run, MemoryNeed& need) const {
  options_.metric.memory(run, need);
  memory_of_holes(run, need);
}

void FreeEnergyGapMetric::begin(const RunOutline& run) {
  const double of_rows = operations_of_energies(run, options_.metric.rows, "free_energy_gap");
  if (!run.data.validation)
    throw CapabilityError("observer 'free_energy_gap': there are no validation rows. Set data.validation.");
  const double budget =
      std::max(run.operations_per_epoch * static_cast<double>(options_.metric.every), always_allowed_of_rows);
  const bool holes = any_holes(run.data);
  const bool summed = holes || !run.model.free_energy()->closed(run.model.layout().observed());
  if (options_.metric.every == 0 || !summed || of_rows <= budget) return;
  const auto why = [](const char* sum) {
    return fmt::format(
        "observer 'free_energy_gap': {} costs more than the training. Set its every to take it less often, or its rows "
        "to take it of fewer.",
        sum);
  };
  if (holes) throw HolesRefused(why("entries of the data are missing, and to sum over what they may be"));
  throw CapabilityError(why("to sum over the latent states of each row"));
}

Verdict FreeEnergyGapMetric::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  if (!due(options_.metric.every, end.epoch)) return Verdict::go_on;
  const std::vector<double> train = energies_of(end, *end.data.train, options_.metric.rows),
                            validation = energies_of(end, *end.data.validation, options_.metric.rows);
  const auto mean = [&](const std::vector<double>& energies) { return mean_of_rows(energies, end.execution.executor); };
  record.emplace_back("free_energy_gap", mean(validation) - mean(train));
  const auto a = error_over_rows(train), b = error_over_rows(validation);
  if (a && b) record.emplace_back("free_energy_gap_error", std::hypot(*a, *b));
  return Verdict::go_on;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
