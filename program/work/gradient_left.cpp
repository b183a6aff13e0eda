#include <harmonium/program/work/gradient_left.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/run/whole_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index num_parts = 16, fewest_rows_of_part = 10;
constexpr double most_bits_of_model = 14;
constexpr double most_gradient_operations = 2e9;  // rows × columns², about a second

bool without_regularizers(const Value& config) {
  const Value* all = config.find("regularizers");
  return !all || !all->is_list() || std::get<Value::List>(all->data).empty();
}

/// An estimator without chance of what the run's own follows; empty where there is none.
std::string exact_estimator(const EnergyModel& model, const Value& config) {
  const Value* estimator = config.find("estimator");
  const Value* type = estimator && estimator->is_table() ? estimator->find("type") : estimator;
  if (!type || !type->is_string()) return "";
  if (const Value* excludes = estimator->is_table() ? estimator->find("exclude_batch") : nullptr;
      excludes && *excludes == make_value(true))
    return "";  // an objective of each batch
  const std::string& name = std::get<std::string>(type->data);
  for (const char* exact : {"pseudo_likelihood", "ratio_matching", "minimum_probability_flow"})
    if (name == exact) return name;
  for (const char* of_likelihood : {"contrastive", "fast_weights", "exact", "cd", "pcd", "naive_mcmc", "tempered_pcd"})
    if (name == of_likelihood && Enumeration::log2_states(model) <= most_bits_of_model) return "exact";
  return "";
}

}  // namespace

std::optional<GradientLeft> gradient_left(const EnergyModel& model, const Dataset& train, const Value& config,
                                          const Registries& registries, const Execution& execution) {
  const Layout& layout = model.layout();
  if (!layout.latent().empty() || train.has_missing() || train.weighted() || !without_regularizers(config)) return {};
  const std::string name = exact_estimator(model, config);
  if (name.empty()) return {};
  const double columns = static_cast<double>(train.cols());
  // Of all rows, or none: at their optimum the gradient of some of them is what the chance of these makes of it.
  if (static_cast<double>(train.rows()) * columns * columns > most_gradient_operations) return {};
  const Index of_part = train.rows() / num_parts;
  if (of_part < fewest_rows_of_part) return {};

  const Index rows = of_part * num_parts, size = model.parameters().size();
  std::vector<double> mean(size, 0.0), squares(size, 0.0);
  Value unused;
  const std::unique_ptr<GradientEstimator> estimator =
      registries.make<GradientEstimator>(make_table({{"type", make_value(name)}}), unused);
  for (Index p = 0; p < num_parts; ++p) {
    execution.executor.check_stop();
    std::vector<Index> own(of_part);  // spread over the rows, so that their order is not seen
    for (Index i = 0; i < of_part; ++i) own[i] = (i * num_parts + p) * train.rows() / rows;
    const Dataset part = train.part(std::move(own));
    const WholeData whole(part, layout);
    try {
      estimator->check(model);
      estimator->begin(model, whole.outline());
    } catch (const CapabilityError&) {
      return {};
    }
    estimator->start(model, execution);
    const std::vector<double> g = whole.estimate(*estimator, model, execution);
    for (Index k = 0; k < size; ++k) {
      const double change = g[k] - mean[k];
      mean[k] += change / static_cast<double>(p + 1);
      squares[k] += change * (g[k] - mean[k]);
    }
  }
  GradientLeft left{.rows = rows};
  for (Index k = 0; k < size; ++k) {
    left.norm += mean[k] * mean[k];
    left.chance += squares[k] / static_cast<double>(num_parts * (num_parts - 1));
  }
  left.norm = std::sqrt(left.norm);
  left.chance = std::sqrt(left.chance);
  return left;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
