#include <harmonium/program/work/likelihood_of_rows.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <harmonium/framework/diagnostics/error_over_rows.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/likelihood_at_end.hpp>
#include <harmonium/program/work/log_z_way.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_at_a_time = 1024;

/// An exact way to log Z of no more operations than that; null where there is none.
std::unique_ptr<LogPartition> quick_exact(const EnergyModel& model, double most_operations,
                                          const Registries& registries) {
  for (const char* name : {"exact", "variable_elimination"}) {
    Value effective;
    std::unique_ptr<LogPartition> way =
        registries.make<LogPartition>(make_table({{"type", make_value(name)}}), effective);
    if (serves(*way, model) && way->operations(model) <= most_operations) return way;
  }
  return nullptr;
}

/// Of the free energies of all rows; infinite where one has too many holes.
double operations_of(const EnergyModel& model, const Dataset& data) {
  double operations = 0.0;
  for (Index first = 0; first < data.rows(); first += rows_at_a_time) {
    const Index count = std::min(rows_at_a_time, data.rows() - first);
    operations += operations_of_seen(model, seen_of(data, model.layout(), first, count), count);
  }
  return operations;
}

LikelihoodOfRows likelihood_of(const EnergyModel& model, const Dataset& data, const char* part, std::uint64_t epoch,
                               double log_z, const Executor& executor) {
  std::vector<double> figures;
  figures.reserve(data.rows());
  for (Index first = 0; first < data.rows(); first += rows_at_a_time) {
    const Index count = std::min(rows_at_a_time, data.rows() - first);
    const Chains rows = rows_of(data, model.layout(), first, count, epoch);
    const HeldMask seen = seen_of(data, model.layout(), first, count);
    for (const double energy : free_energies_of_seen(model, rows, seen, 1.0, executor))
      figures.push_back(-energy - log_z);
    executor.check_stop();
  }
  return {part, data.rows(), mean_of_rows(figures, executor), error_over_rows(figures).value_or(0.0)};
}

}  // namespace

bool quickly_exact(const EnergyModel& model, const Registries& registries) {
  return quick_exact(model, most_operations_at_end(0.0), registries) != nullptr;
}

std::vector<LikelihoodOfRows> exact_likelihoods(const EnergyModel& model, const RunData& data, std::uint64_t epoch,
                                                double training, std::optional<double> log_z,
                                                const Registries& registries, const Execution& execution) {
  const std::pair<const char*, const Dataset*> parts[] = {
      {"training", data.train}, {"validation", data.validation}, {"test", data.test}};
  if (!offers_free_energy(model)) return {};
  double operations = 0.0;
  for (const auto& [name, rows] : parts) {
    if (!rows) continue;
    if (!has_probability(*rows, model.layout())) return {};
    operations += operations_of(model, *rows);
  }
  const double most_operations = most_operations_at_end(training);
  if (operations > most_operations) return {};
  if (!log_z) {
    const std::unique_ptr<LogPartition> way = quick_exact(model, most_operations, registries);
    if (!way) return {};
    const LogPartitionEstimate z = way->estimate(model, 1.0, execution.part("log_z"));
    if (!z.exact) return {};
    log_z = z.log_z;
  }
  std::vector<LikelihoodOfRows> found;
  for (const auto& [name, rows] : parts)
    if (rows) found.push_back(likelihood_of(model, *rows, name, epoch, *log_z, execution.executor));
  std::erase_if(found, [](const LikelihoodOfRows& l) { return !std::isfinite(l.mean) || !std::isfinite(l.error); });
  return found;
}

std::optional<double> independent_likelihood(const Dataset& rows, const Layout& layout) {
  if (rows.weighted() || rows.has_missing() || !has_probability(rows, layout)) return {};
  const std::vector<double> means = rows.column_means();
  const auto negative_entropy = [](double p) { return p > 0.0 ? p * std::log(p) : 0.0; };
  double sum = 0.0;
  Index column = 0;
  for (const LayerId l : layout.ids(layout.observed())) {
    const Layer& layer = layout[l];
    const bool two_states = layer.unit->width() == 1 && layer.unit->num_states() == 2;
    const bool a_column_a_state = layer.unit->width() > 1 && layer.unit->width() == layer.unit->num_states();
    if (!two_states && !a_column_a_state) return {};
    for (const Index end = column + layer.columns(); column < end; ++column) {
      const double p = (means[column] - layer.unit->min()) / (layer.unit->max() - layer.unit->min());
      sum += negative_entropy(p) + (two_states ? negative_entropy(1.0 - p) : 0.0);
    }
  }
  return sum;
}

bool explains_more(const LikelihoodOfRows& found, double alone, const ParameterLayout& parameters) {
  double couplings = 0.0;
  for (const ParameterBlock& b : parameters.blocks())
    if (is_coupling(b)) couplings += static_cast<double>(free_entries(b));
  const double gain = found.mean - alone;
  return gain > 0.01 * std::abs(alone) ||
         2.0 * static_cast<double>(found.rows) * gain > couplings + 2.0 * std::sqrt(2.0 * couplings);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
