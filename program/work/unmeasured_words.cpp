#include <harmonium/program/work/unmeasured_words.hpp>

#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/training/likelihood_at_end.hpp>
#include <harmonium/program/work/log_z_way.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Multiplications and additions of log Z by elimination; 0 where that does not serve, or is not looked for.
double operations_by_elimination(const EnergyModel& model, const Registries& registries) {
  constexpr Index most_units = 5000;  // whose order takes a second
  Index units = 0;
  for (const Layer& layer : model.layout().layers()) units += layer.size;
  if (units > most_units) return 0.0;
  Value effective;
  const std::unique_ptr<LogPartition> way =
      registries.make<LogPartition>(make_table({{"type", make_value("variable_elimination")}}), effective);
  return serves(*way, model) ? way->operations(model) : 0.0;
}

/// Why not by enumeration, and that by elimination it is.
std::string with_elimination(const std::string& why, const Experiment& experiment, const Registries& registries) {
  constexpr std::string_view cause = "log_partition 'exact': enumeration would take", limit = "(option max_bits).";
  const auto end = why.find(limit);
  if (!why.starts_with(cause) || end == std::string::npos) return why;
  const double operations = operations_by_elimination(experiment.model(), registries);
  const double training = experiment.operations_per_update() *
                          static_cast<double>(experiment.training().total_updates(experiment.updates_per_epoch()));
  if (!(operations > 0.0) || operations > most_operations_at_end(training)) return why;
  return fmt::format(
      "{} Summing units out one by one is exact too, and takes some {} a value: --set "
      "'observers=[{{type=\"log_likelihood\",log_z=\"variable_elimination\",every=1}}]'. A run has it of "
      "its last model unasked.",
      why.substr(0, end + limit.size()), about_so_long(operations / operations_in_a_second("variable_elimination")));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> told_unmeasured(const Experiment& experiment,
                                                                 const Registries& registries) {
  std::vector<std::pair<std::string, std::string>> told = experiment.unmeasured();
  for (auto& [name, why] : told)
    if (name == "log_likelihood") why = with_elimination(why, experiment, registries);
  return told;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
