#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/golden.hpp>

namespace golden_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};

/// How far a figure may be from the golden one. A parameter that is rounded by δ moves log Z and log likelihoods by at
/// most |δ|, as their derivatives are differences of means of numbers from 0 to 1.
double tolerance(const EnergyModel& model) {
  if constexpr (in_double) return 1e-12;
  double size = 0.0;
  for (const Real t : model.parameters()) size += std::abs(static_cast<double>(t));
  return rounding(0.5, size);
}
/// The same for an expectation of ∂E/∂θ, which is besides a sum of as many numbers as there are rows, in Real.
double gradient_tolerance(const EnergyModel& model, double rows = 16) { return tolerance(model) + rounding(rows); }

void check_gradient(const EnergyModel& model, std::span<const Real> descent, const golden::rbm::Gradient& ascent,
                    double bound) {
  const ParameterLayout& p = model.parameter_layout();
  std::vector<double> got;
  for (const char* name : {"bias.visible", "bias.hidden", "weight.visible.hidden"}) {
    const ParameterBlock& b = p[p.find(name)];
    for (Index i = 0; i < b.size(); ++i) got.push_back(-static_cast<double>(descent[b.offset + i]));
  }
  REQUIRE(got.size() == ascent.size());
  for (Index i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(got[i] - ascent[i]) <= bound);
  }
}

std::vector<Real> estimate(const EnergyModel& model, GradientEstimator& estimator) {
  estimator.check(model);
  Batch batch(model.layout(), golden_rows());
  std::vector<Real> gradient(model.parameters().size(), Real{77});
  estimator.estimate(model, batch.view(), gradient, execution);
  return gradient;
}

std::unique_ptr<GradientEstimator> exact_preset() {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  return registries.make<GradientEstimator>(make_table({{"type", make_value("exact")}}), effective);
}

std::unique_ptr<GradientEstimator> exact_phases() {
  ContrastiveOptions options;
  options.positive = std::make_unique<ExactPhase>();
  options.negative = std::make_unique<ExactPhase>();
  return std::make_unique<Contrastive>(std::move(options));
}

}  // namespace

TEST_CASE("log Z of the golden machines is found by enumeration") {
  const ExactLogPartition exact;
  for (const bool general : {false, true}) {
    CAPTURE(general);
    const auto model = golden_model(general);
    exact.check(*model);
    const LogPartitionEstimate z = exact.estimate(*model, 1.0, execution);
    CHECK(std::abs(z.log_z - (general ? golden::general::log_z : golden::rbm::log_z)) <= tolerance(*model));
    CHECK(z.exact);
    CHECK(z.error == 0.0);
  }
}

TEST_CASE("free energies and log likelihoods of the golden RBM are those of its rows") {
  const auto model = golden_model(false);
  Batch batch(model->layout(), golden_rows());
  const LayerSet visible = model->layout().observed();
  std::vector<double> free_energies(golden::num_rows), log_p(golden::num_rows);
  model->free_energy()->evaluate(visible, 1.0, batch.rows, free_energies);
  const double log_z = ExactLogPartition().estimate(*model, 1.0, execution).log_z;
  double mean = 0.0;
  for (Index r = 0; r < golden::num_rows; ++r) {
    CAPTURE(r);
    CHECK(std::abs(free_energies[r] - golden::rbm::free_energy[r]) <= tolerance(*model));
    CHECK(std::abs(-free_energies[r] - log_z - golden::rbm::log_likelihood[r]) <= 2 * tolerance(*model));
    mean += golden::rbm::free_energy[r] / golden::num_rows;
  }
  CHECK(std::abs(mean_free_energy(*model, batch.rows, 1.0, executor) - mean) <= tolerance(*model));
}

TEST_CASE("log likelihoods of the golden general machine come from two enumerations") {
  const auto model = golden_model(true);
  Batch batch(model->layout(), golden_rows());
  const double log_z = ExactLogPartition().estimate(*model, 1.0, execution).log_z;
  for (Index r = 0; r < golden::num_rows; ++r) {
    CAPTURE(r);
    Chains row(model->layout(), 1);
    const LayerId visible = model->layout().find("visible");
    std::copy_n(batch.rows.read(visible).row(r), golden::num_visible, row.write(visible).row(0));
    const double log_p = Enumeration(*model, model->layout().observed(), 10).log_sum(1.0, &row, executor) - log_z;
    CHECK(std::abs(log_p - golden::general::log_likelihood[r]) <= 2 * tolerance(*model));
  }
}

TEST_CASE("pseudo likelihoods of the golden RBM are those of its rows") {
  const auto model = golden_model(false);
  double mean = 0.0;
  for (Index r = 0; r < golden::num_rows; ++r) {
    CAPTURE(r);
    Batch row(model->layout(), {golden_rows()[r]});
    // A conditional of one unit moves by at most |δ|, and there are four.
    CHECK(std::abs(pseudo_log_likelihood(*model, row.rows, 1.0, 0, execution) -
                   golden::rbm::log_pseudo_likelihood[r]) <= 4 * tolerance(*model));
    mean += golden::rbm::log_pseudo_likelihood[r] / golden::num_rows;
  }
  Batch batch(model->layout(), golden_rows());
  CHECK(std::abs(pseudo_log_likelihood(*model, batch.rows, 1.0, 0, execution) - mean) <= 4 * tolerance(*model));
}

TEST_CASE("the exact gradient of the golden RBM comes from the preset and from two exact phases") {
  const auto model = golden_model(false);
  const std::vector<Real> by_preset = estimate(*model, *exact_preset()), by_phases = estimate(*model, *exact_phases());
  check_gradient(*model, by_preset, golden::rbm::exact, gradient_tolerance(*model));
  CHECK(by_preset == by_phases);
}

TEST_CASE("the exact gradient of the golden general machine has its lateral couplings") {
  const auto model = golden_model(true);
  const std::vector<Real> descent = estimate(*model, *exact_preset());
  // Its posterior is enumerated: a sum over states for each row.
  const double bound = gradient_tolerance(*model, 64);
  check_gradient(*model, descent, golden::general::exact, bound);
  const ParameterLayout& p = model->parameter_layout();
  const auto check_lateral = [&](const char* name, std::span<const double> ascent) {
    const ConstMatrixRef g = p.view(p.find(name), descent.data());
    Index at = 0;
    for (Index j = 0; j < g.rows; ++j) {
      CHECK(g(j, j) == 0);
      for (Index k = j + 1; k < g.cols; ++k) {
        CAPTURE(j);
        CAPTURE(k);
        CHECK(std::abs(-static_cast<double>(g(j, k)) - ascent[at++]) <= bound);
        CHECK(g(k, j) == g(j, k));
      }
    }
    CHECK(at == ascent.size());
  };
  check_lateral("weight.visible.visible", golden::general::visible_lateral_gradient);
  check_lateral("weight.hidden.hidden", golden::general::hidden_lateral_gradient);
}

TEST_CASE("expected contrastive divergences of the golden RBM follow from its own conditionals") {
  const auto model = golden_model(false);
  const Transition transition(*model);
  const Chains states = transition.oracle().chains(transition.visible_states);
  Law data(states.size(), 0.0);
  for (const std::vector<double>& row : golden_rows()) {
    const Law one = transition.at(row);
    for (Index v = 0; v < data.size(); ++v) data[v] += one[v] / golden::num_rows;
  }
  for (const golden::rbm::Expected& expected : golden::rbm::contrastive_divergence) {
    CAPTURE(expected.steps);
    Law weights = transition.steps(data, expected.steps);
    for (Index v = 0; v < weights.size(); ++v) weights[v] = data[v] - weights[v];
    Posterior posterior;
    std::vector<Real> gradient(model->parameters().size(), Real{0});
    model->factorized_expectation()->add_gradient(posterior.moments(*model, states, executor), weights, gradient,
                                                  executor);
    // Each of the 7 conditionals of a step has a field that is a sum of at most 5 numbers below 1, and the law's error
    // grows by theirs with each step.
    const double law = rounding(7 * 5 * static_cast<double>(expected.steps + 1));
    check_gradient(*model, gradient, expected.gradient, gradient_tolerance(*model) + law);
  }
}

}  // namespace golden_test
