#include <harmonium/program/work/followed_objective.hpp>

#include <cmath>
#include <string>
#include <variant>

#include <harmonium/framework/inference/eliminated_expectation.hpp>
#include <harmonium/framework/inference/enumeration.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool without_regularizers(const Value& config) {
  const Value* all = config.find("regularizers");
  return !all || !all->is_list() || std::get<Value::List>(all->data).empty();
}

double operations_of_gradient(const EnergyModel& model, double rows) {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().observed()));
  return rows * columns * columns;
}

std::optional<Followed> followed_by(const EnergyModel& model, const Value& config) {
  const Value* estimator = config.find("estimator");
  const Value* type = estimator && estimator->is_table() ? estimator->find("type") : estimator;
  if (!type || !type->is_string()) return {};
  if (const Value* excludes = estimator->is_table() ? estimator->find("exclude_batch") : nullptr;
      excludes && *excludes == make_value(true))
    return {};  // an objective of each batch
  const std::string& name = std::get<std::string>(type->data);
  const auto named = [](const std::string& of) { return make_table({{"type", make_value(of)}}); };
  for (const char* exact : {"pseudo_likelihood", "ratio_matching", "minimum_probability_flow", "score_matching"})
    if (name == exact) return Followed{named(name), Objective::own};
  for (const char* draws : {"noise_contrastive", "denoising_score_matching"})
    if (name == draws) return Followed{estimator->is_table() ? *estimator : named(name), Objective::drawn};
  const auto affordable = [&] {
    if (operations_of_gradient(model, std::exp2(Enumeration::log2_states(model))) <= most_gradient_operations)
      return true;
    const auto eliminated = EliminatedExpectation::of(model, EliminatedExpectation::usual_max_bits);
    return eliminated && eliminated->operations(model) <= most_gradient_operations;
  };
  for (const char* by_chains : {"contrastive", "fast_weights", "exact", "cd", "pcd", "naive_mcmc", "tempered_pcd",
                                "unbiased_cd", "truncated_expansion"})
    if (name == by_chains)
      return affordable() ? Followed{named("exact"), Objective::likelihood}
                          : Followed{named("pseudo_likelihood"), Objective::stand_in};
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
