#include <harmonium/program/work/gradient_left.hpp>

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
constexpr double most_gradient_operations = 2e9;  // rows or states × columns², about a second
constexpr double least_spread = 1e-5;             // of the gradients of rows; below, these are alike but for rounding
constexpr const char* exact_likelihood_gradient = "exact";

bool without_regularizers(const Value& config) {
  const Value* all = config.find("regularizers");
  return !all || !all->is_list() || std::get<Value::List>(all->data).empty();
}

double operations_of_gradient(const EnergyModel& model, double rows) {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().observed()));
  return rows * columns * columns;
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
  const double states = std::exp2(Enumeration::log2_states(model));
  for (const char* by_chains : {"contrastive", "fast_weights", "exact", "cd", "pcd", "naive_mcmc", "tempered_pcd",
                                "unbiased_cd", "truncated_expansion"})
    if (name == by_chains && operations_of_gradient(model, states) <= most_gradient_operations)
      return exact_likelihood_gradient;
  return "";
}

/// Gradients of parts of the rows, each as their mean, for ascent.
class GradientsOfParts {
 public:
  /// All must outlive it.
  GradientsOfParts(const EnergyModel& model, GradientEstimator& estimator, bool likelihood, const Execution& execution)
      : model_(model), estimator_(estimator), likelihood_(likelihood), execution_(execution) {}

  /// Throws CapabilityError where the estimator does not serve.
  std::vector<double> of(const Dataset& part) {
    const WholeData whole(part, model_.layout());
    if (!likelihood_) return estimated(whole);
    std::vector<double> g = of_data(part.rows(), whole.rows());
    if (of_model_.empty()) {  // the model's side is the same of all parts, and takes all states
      of_model_ = estimated(whole);
      for (Index k = 0; k < g.size(); ++k) of_model_[k] -= g[k];
    }
    for (Index k = 0; k < g.size(); ++k) g[k] += of_model_[k];
    return g;
  }

 private:
  std::vector<double> estimated(const WholeData& whole) {
    estimator_.check(model_);
    estimator_.begin(model_, whole.outline());
    estimator_.start(model_, execution_);
    return whole.estimate(estimator_, model_, execution_);
  }
  std::vector<double> of_data(Index num_rows, const Chains& rows) const {
    const std::vector<double> weights(num_rows, -1.0 / static_cast<double>(num_rows));
    std::vector<Real> sum(model_.parameters().size(), Real{0});
    model_.add_gradient(rows.real(), weights, sum, execution_.executor);
    return {sum.begin(), sum.end()};
  }

  const EnergyModel& model_;
  GradientEstimator& estimator_;
  bool likelihood_;
  const Execution& execution_;
  std::vector<double> of_model_;
};

}  // namespace

std::optional<GradientLeft> gradient_left(const EnergyModel& model, const Dataset& train, const Value& config,
                                          const Registries& registries, const Execution& execution) {
  const Layout& layout = model.layout();
  if (!layout.latent().empty() || train.has_missing() || train.weighted() || !without_regularizers(config)) return {};
  const std::string name = exact_estimator(model, config);
  const Index rows = train.rows();
  // Of all rows, or none: at their optimum the gradient of some of them is what the chance of these makes of it.
  if (name.empty() || operations_of_gradient(model, static_cast<double>(rows)) > most_gradient_operations ||
      rows < num_parts * fewest_rows_of_part)
    return {};
  GradientLeft left{.of_likelihood = name == exact_likelihood_gradient, .rows = rows};
  Value unused;
  const auto estimator = registries.make<GradientEstimator>(make_table({{"type", make_value(name)}}), unused);
  GradientsOfParts gradients(model, *estimator, left.of_likelihood, execution);
  const Index size = model.parameters().size();
  std::vector<double> mean(size, 0.0), squares(size, 0.0);
  double before = 0.0;
  for (Index p = 0; p < num_parts; ++p) {
    execution.executor.check_stop();
    std::vector<Index> own;  // spread over the rows, so that their order is not seen
    for (Index r = p; r < rows; r += num_parts) own.push_back(r);
    const auto count = static_cast<double>(own.size());
    std::vector<double> g;
    try {
      g = gradients.of(train.part(std::move(own)));
    } catch (const CapabilityError&) {
      return {};
    }
    const double share = count / (before + count);
    for (Index k = 0; k < size; ++k) {
      const double change = g[k] - mean[k];
      mean[k] += share * change;
      squares[k] += count * change * (g[k] - mean[k]);
    }
    before += count;
  }
  for (Index k = 0; k < size; ++k) {
    left.norm += mean[k] * mean[k];
    left.chance += squares[k] / (static_cast<double>(num_parts - 1) * static_cast<double>(rows));
  }
  left.norm = std::sqrt(left.norm);
  left.chance = std::sqrt(left.chance);
  if (left.chance * std::sqrt(static_cast<double>(rows)) < least_spread) return {};
  return left;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
