#include <harmonium/estimators/phases/exact_phase.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/operations.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// gradient += scale · E[∂E/∂θ] over everything that is not held, the held layers being those of row 0 of `given`.
void add_expectation(const EnergyModel& model, const Enumeration& enumeration, const Chains* given, double scale,
                     std::span<Real> gradient, const Executor& executor) {
  const Layout& layout = model.layout();
  const std::vector<double> log_p = enumeration.log_probabilities(1.0, given, executor);
  const std::uint64_t states = enumeration.num_states();
  for (std::uint64_t begin = 0; begin < states; begin += Enumeration::piece) {
    executor.check_stop();
    const std::uint64_t end = std::min(states, begin + Enumeration::piece);
    Chains rows(layout, end - begin);
    if (given) rows.copy_to_all(enumeration.held(), *given, 0);
    enumeration.states(begin, end, rows);
    const auto log_weights = std::span(log_p).subspan(begin, end - begin);
    const Vector<double> weights = scale * xt::exp(as_xtensor(log_weights));
    model.free_energy()->add_gradient(enumeration.enumerated() | enumeration.held(), rows, weights, gradient, executor);
  }
}

/// What `max_bits` has to be at least for elimination, where it may be that.
std::string on_elimination(const EnergyModel& model) {
  const auto eliminated = EliminatedExpectation::of(model, ExactPhaseOptions::most_bits);
  if (!eliminated || eliminated->log2_entries() >= Enumeration::log2_states(model)) return "";
  return fmt::format(" Summing units out one by one takes tables of 2^{:.3g} entries in all, if max_bits is that.",
                     eliminated->log2_entries());
}

void add_closed(const EnergyModel& model, const DataBatch& data, double scale, std::span<Real> gradient,
                const Executor& executor) {
  const std::vector<double> weights = scaled(data.weights, scale);
  model.free_energy()->add_gradient(model.layout().observed(), data.rows, weights, gradient, executor);
}

}  // namespace

void ExactPhase::check(const EnergyModel& model, Phase phase) const {
  if (phase == Phase::positive && posterior_factorizes(model) && model.factorized_expectation()) return;
  if (phase == Phase::negative && elimination(model)) return;
  try {
    const Enumeration enumeration(model, phase == Phase::positive ? model.layout().observed() : LayerSet{},
                                  options_.max_bits);
  } catch (const CapabilityError& error) {
    throw CapabilityError(std::string("phase 'exact': ") + error.what() +
                          (phase == Phase::negative ? on_elimination(model) : "") +
                          " Try 'chains', as the estimators 'pcd' and 'cd' have it; 'pseudo_likelihood' needs none.");
  }
}

/// What serves where states are too many to be enumerated.
std::optional<EliminatedExpectation> ExactPhase::elimination(const EnergyModel& model) const {
  if (Enumeration::log2_states(model, {}) <= options_.max_bits) return {};
  return EliminatedExpectation::of(model, options_.max_bits);
}

void ExactPhase::begin(const EnergyModel& model, Phase phase, const DataOutline& data) {
  if (phase == Phase::positive && data.missing)
    throw CapabilityError(
        "phase 'exact': entries of the data are missing, others in each row, and enumeration takes whole layers. Try "
        "'mean_field' or 'chains'.");
  if (phase == Phase::positive) return;
  eliminated_ = elimination(model);
}

double ExactPhase::products(const EnergyModel& model, Phase phase, Index rows) const {
  if (phase == Phase::positive && posterior_factorizes(model)) return 2.0 * static_cast<double>(rows);
  if (const auto eliminated = phase == Phase::negative ? elimination(model) : std::nullopt)
    return eliminated->operations(model) / operations_per_product(model);
  const double states =
      std::exp2(Enumeration::log2_states(model, phase == Phase::positive ? model.layout().observed() : LayerSet{}));
  return 3.0 * states * (phase == Phase::positive ? static_cast<double>(rows) : 1.0);
}

void ExactPhase::memory(const EnergyModel& model, Phase phase, Index, MemoryNeed& need) const {
  if (phase == Phase::positive && posterior_factorizes(model)) return;
  if (const auto eliminated = phase == Phase::negative ? elimination(model) : std::nullopt) {
    need.add("the tables of the elimination", std::exp2(eliminated->log2_entries()) * sizeof(double),
             "the estimator's max_bits");
    return;
  }
  const LayerSet held = phase == Phase::positive ? model.layout().observed() : LayerSet{};
  need.add("the enumerated states", std::exp2(Enumeration::log2_states(model, held)) * sizeof(double),
           "the estimator's max_bits");
}

PhaseReport ExactPhase::accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                                   std::span<Real> gradient, const Execution& execution) {
  if (phase == Phase::negative) {
    const double weight = whole_weight_.value_or(data.total_weight());
    if (!eliminated_) eliminated_ = elimination(model);
    if (eliminated_) {
      if (shard_.index == 0) eliminated_->add(model, scale * weight, gradient, execution.executor);
      return {.exact = true, .method = "exact, by summing units out one by one"};
    }
    if (shard_.index == 0)
      add_expectation(model, Enumeration(model, {}, options_.max_bits), nullptr, scale * weight, gradient,
                      execution.executor);
    return {.exact = true, .method = "exact, by enumeration"};
  }
  if (data.observed) begin(model, phase, {.rows = data.rows.size(), .missing = true});
  if (posterior_factorizes(model) && model.factorized_expectation()) {
    const std::vector<double> weights = scaled(data.weights, scale);
    const Moments& q = data.posterior.moments(model, data.rows, execution.executor);
    model.factorized_expectation()->add_gradient(q, weights, gradient, execution.executor);
    return {.exact = true, .method = "exact posterior means"};
  }
  const Layout& layout = model.layout();
  if (model.free_energy()->closed(layout.observed())) {
    add_closed(model, data, scale, gradient, execution.executor);
    return {true, "exact posterior means and covariances", {}};
  }
  const Enumeration enumeration(model, layout.observed(), options_.max_bits);
  Chains given(layout, 1);
  for (Index r = 0; r < data.rows.size(); ++r) {
    given.copy_rows(layout.observed(), {data.rows, r, r + 1});
    add_expectation(model, enumeration, &given, scale * data.weights[r], gradient, execution.executor);
  }
  return {.exact = true, .method = "exact, by enumeration of the latent units"};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
