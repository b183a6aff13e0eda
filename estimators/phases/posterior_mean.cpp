#include <harmonium/estimators/phases/posterior_mean.hpp>

#include <algorithm>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void PosteriorMean::check(const EnergyModel& model, Phase phase) const {
  if (phase == Phase::negative)
    throw CapabilityError(
        "phase 'posterior_mean': it averages over the data's posterior, which is the positive phase; in the negative "
        "phase its sign would drive the model away from what it assumes. Try 'chains' or 'exact'.");
  if (!posterior_factorizes(model))
    throw CapabilityError(
        "phase 'posterior_mean': the latent units are coupled given the observed ones, so their means are no product. "
        "Try 'mean_field', 'chains' or 'exact'.");
  if (!model.factorized_expectation() && !model.layout().latent().empty())
    throw CapabilityError("phase 'posterior_mean': the model offers no expectation of its gradient. Try 'chains'.");
}

void PosteriorMean::begin(const EnergyModel&, Phase, const DataOutline& data) {
  if (data.missing)
    throw CapabilityError(
        "phase 'posterior_mean': entries of the data are missing, and the latent units are coupled with these. Try "
        "'mean_field' or 'chains'.");
}

void PosteriorMean::memory(const EnergyModel& model, Phase, Index rows, MemoryNeed& need) const {
  if (!options_.sampled) return;
  const Layout& layout = model.layout();
  need.add("the posterior's draws",
           static_cast<double>(rows) * static_cast<double>(layout.columns(layout.all())) * sizeof(Real),
           "training.batch_size");
}

PhaseReport PosteriorMean::accumulate(const EnergyModel& model, const DataBatch& data, Phase, double scale,
                                      std::span<Real> gradient, const Execution& execution) {
  if (data.observed) begin(model, Phase::positive, {.rows = data.rows.size(), .missing = true});
  const std::vector<double> weights = scaled(data.weights, scale);
  if (model.layout().latent().empty() && !model.factorized_expectation()) {
    model.add_gradient(data.rows, weights, gradient, execution.executor);
    return {.exact = true, .method = "the data's average"};
  }
  if (!options_.sampled) {
    const Moments& q = data.posterior.moments(model, data.rows, execution.executor);
    model.factorized_expectation()->add_gradient(q, weights, gradient, execution.executor);
    return {.exact = true, .method = "exact posterior means"};
  }
  Chains drawn(model.layout(), data.rows.size(), data.rows.first_chain());
  drawn.set_step(draws_++);
  drawn.copy_rows(model.layout().observed(), data.rows);
  data.posterior.sample(model, data.rows, execution.random, drawn, execution.executor);
  model.add_gradient(drawn, weights, gradient, execution.executor);
  return {.exact = false, .method = "draws from the exact posterior"};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
