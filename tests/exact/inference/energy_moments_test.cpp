#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/models/units/gamma.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/discrete.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace energy_moments_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

double tolerance(double size) { return (in_double ? 1e-11 : 2e-5) * (1.0 + std::abs(size)); }

/// A ring of `n` spins whose couplings are 1.
std::unique_ptr<LayeredModel> ring(Index n) {
  auto model = random_model({{observed("v", n, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 1);
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < n; ++i) edges.emplace_back(std::min(i, (i + 1) % n), std::max(i, (i + 1) % n));
  const ParameterLayout& parameters = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real{0});
    const MatrixRef w = parameters.view(parameters.find("weight.v.v"), theta.data());
    for (const auto& [a, b] : edges) w(a, b) = w(b, a) = Real{1};
  });
  return model;
}

}  // namespace

TEST_CASE("the moments of the energy are those of the sum over all states, both ways") {
  for (const Example& m : example_models()) {
    if (!discrete(*m.model)) continue;
    CAPTURE(m.name);
    const std::vector<double> energy =
        conformance::model_energies(*m.model, conformance::StateSpace(m.model->layout()));
    const double lowest = *std::ranges::min_element(energy);
    for (const double beta : {0.0, 0.3, 1.0, 2.5}) {
      CAPTURE(beta);
      double z = 0.0, mean = 0.0, variance = 0.0;
      for (const double e : energy) z += std::exp(-beta * (e - lowest));
      for (const double e : energy) mean += e * std::exp(-beta * (e - lowest)) / z;
      for (const double e : energy) variance += (e - mean) * (e - mean) * std::exp(-beta * (e - lowest)) / z;
      const EnergyMoments found = energy_moments(*m.model, beta, executor);
      CHECK(std::abs(found.mean - mean) <= tolerance(mean));
      CHECK(std::abs(found.variance - variance) <= tolerance(variance + mean * mean));
      CHECK(std::abs(found.least - lowest) <= tolerance(lowest));
      REQUIRE(found.ground_state.has_value());
      double of_state = 0.0;
      m.model->energy(found.ground_state->real(), {&of_state, 1});
      CHECK(std::abs(of_state - lowest) <= tolerance(lowest));
      const WeighedEnergy swept = Elimination(*m.model, 20).energy(beta, executor);
      CHECK(std::abs(swept.log_weight - (std::log(z) - beta * lowest)) <= tolerance(swept.log_weight));
      CHECK(std::abs(swept.mean - mean) <= tolerance(mean));
      CHECK(std::abs(swept.variance - variance) <= tolerance(variance + mean * mean));
    }
  }
}

TEST_CASE("of a long ring they are the derivatives of its log Z, for any number of threads") {
  // Z = (2 cosh β)^n + (2 sinh β)^n, of which the second term is below rounding: ⟨E⟩ = −n tanh β, ⟨E²⟩ − ⟨E⟩² = n / cosh² β.
  const auto model = ring(300);
  for (const double beta : {0.2, 0.5}) {
    const EnergyMoments found = energy_moments(*model, beta, executor);
    CHECK(found.mean == doctest::Approx(-300 * std::tanh(beta)).epsilon(1e-12));
    CHECK(found.variance == doctest::Approx(300 / std::pow(std::cosh(beta), 2)).epsilon(1e-11));
    CHECK(found.least == doctest::Approx(-300.0).epsilon(1e-13));
    CHECK(energy_moments(*model, beta, Executor(1)).variance == found.variance);
  }
}

TEST_CASE("of a machine of many units on one side they are a sum over the states of the other one") {
  // 3^9 states of the levels with 2^6 of the spins are too many to be summed over at once, and couplings are dense.
  const auto spin = std::make_shared<SpinUnit>();
  const auto levels = std::make_shared<LevelsUnit>(LevelsUnit::Options{});
  const auto gaussian = std::make_shared<GaussianUnit>();
  const auto model = random_model(
      {{observed("v", 9, levels), latent("h", 6, spin), latent("g", 2, gaussian)}, {{0, 1}, {1, 1}, {1, 2}}, {}}, 7,
      0.6);
  const LayerObservables what(*model, LayerId{1});
  const StateSum sum(*model, what, executor, nullptr, 24.0);
  CHECK(sum.num_states() == 64 * 19683);
  for (const double beta : {0.3, 1.0, 2.5}) {
    CAPTURE(beta);
    const EnergyMoments found = energy_moments(*model, beta, executor, EliminationLimits{.table_bits = 1});
    const auto averages = sum.at(beta, executor).thermal.averages;
    CHECK(std::abs(found.mean - averages[0].value) <= tolerance(averages[0].value));
    CHECK(std::abs(beta * beta * found.variance - 17.0 * averages[2].value) <= tolerance(17.0 * averages[2].value));
    CHECK(std::abs(found.least - sum.lowest_energy()) <= tolerance(sum.lowest_energy()));
    REQUIRE(found.ground_state.has_value());
    double of_state = 0.0;
    model->energy(found.ground_state->real(), {&of_state, 1});
    CHECK(std::abs(of_state - found.least) <= tolerance(found.least));
  }
  // Of 784 bits with 16 hidden ones there is no other way. Not coupled, each of them adds -b p, p being the logistic function of beta b.
  const auto wide = random_rbm(784, 16, 1, 0.0);
  const ParameterLayout& parameters = wide->parameter_layout();
  wide->update_parameters([&](std::span<Real> theta) {
    const MatrixRef b = parameters.view(parameters.find("bias.visible"), theta.data());
    for (Index i = 0; i < b.rows * b.cols; ++i) b.data[i] = Real{0.5};
  });
  const EnergyMoments found = energy_moments(*wide, 2.0, executor);
  const double p = 1.0 / (1.0 + std::exp(-1.0));
  CHECK(found.mean == doctest::Approx(-392.0 * p).epsilon(1e-9));
  CHECK(found.variance == doctest::Approx(196.0 * p * (1.0 - p)).epsilon(1e-9));
  CHECK(found.least == doctest::Approx(-392.0).epsilon(1e-12));
  CHECK(energy_moments_work(*wide).of_states > 784.0 * 16.0 * 65536.0);
}

TEST_CASE("models of which they are no sum that can be made are refused with what serves") {
  const auto refused = [](const EnergyModel& model) -> std::string {
    try {
      energy_moments(model, 1.0, executor);
    } catch (const CapabilityError& error) {
      return error.what();
    }
    return "";
  };
  const auto exponential = std::make_shared<ExponentialUnit>(ExponentialUnit::Options{});
  const auto numbers = random_model({{observed("v", 3, exponential)}, {}, {}}, 1, 0.25);
  CHECK(refused(*numbers) ==
        "it is a sum over all states, and units of layer 'v' are continuous. 'harmonium observe' measures it.");
  const auto dense = random_model({{observed("v", 40, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 1);
  CHECK(refused(*dense).starts_with(
      "it is a sum over all states of all units, which are 2^40 and may be 2^24, or takes couplings so sparse "));
}

TEST_CASE("the work of the moments is that of the way that is taken: over states, over tables, or none") {
  const auto dense = [](Index n) {
    return random_model({{observed("v", n, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 1);
  };
  const EnergyMomentsWork few = energy_moments_work(*ring(10)), sparse = energy_moments_work(*ring(40)),
                          all = energy_moments_work(*dense(24)), too_many = energy_moments_work(*dense(30));
  CHECK(few.of_states > std::exp2(10));
  CHECK(few.of_tables == 0.0);
  CHECK(sparse.of_states == 0.0);
  CHECK(sparse.of_tables > 0.0);
  // An energy of 24 coupled spins is 276 products at the least.
  CHECK(all.of_states > 276.0 * std::exp2(24));
  CHECK(all.of_tables == 0.0);
  CHECK(too_many.of_states == 0.0);
  CHECK(too_many.of_tables == 0.0);
  CHECK(energy_moments_work(
            *random_model({{observed("x", 2, std::make_shared<ExponentialUnit>(ExponentialUnit::Options{}))}, {}, {}},
                          1, 0.25))
            .of_states == 0.0);
}

TEST_CASE("limits decide whether an elimination is taken") {
  // All units of a ring but two leave tables of two spins.
  const auto model = ring(40);
  CHECK(energy_moments(*model, 0.5, executor, {.table_bits = 2}).mean ==
        doctest::Approx(-40 * std::tanh(0.5) * (1.0 + std::pow(std::tanh(0.5), 38)) /
                        (1.0 + std::pow(std::tanh(0.5), 40)))
            .epsilon(1e-12));
  for (const EliminationLimits& limits :
       {EliminationLimits{.table_bits = 1.5}, EliminationLimits{.work_bits = 6}, EliminationLimits{.degeneracy = 1}}) {
    CHECK_THROWS_AS(energy_moments(*model, 0.5, executor, limits), CapabilityError);
    CHECK(energy_moments_work(*model, limits).of_tables == 0.0);
  }
  CHECK(energy_moments_work(*model, EliminationLimits::none()).of_tables == energy_moments_work(*model).of_tables);
}

TEST_CASE("Gaussian units add half a unit of heat each to the sum over the states of the others") {
  // With E = −b x + ½ γ x² of one unit ⟨E⟩ = −b²/(2γ) + 1/(2β).
  auto model = random_model({{observed("x", 2, std::make_shared<GaussianUnit>())}, {}, {0}}, 3, 0.5);
  const ParameterLayout& parameters = model->parameter_layout();
  double lowest = 0.0;
  for (Index i = 0; i < 2; ++i) {
    double b = 0.0, log_precision = 0.0;
    for (const ParameterBlock& block : parameters.blocks()) {
      const auto value = static_cast<double>(model->parameters()[block.offset + i]);
      (block.role == ParameterRole::bias ? b : log_precision) = value;
    }
    lowest -= 0.5 * b * b / std::exp(log_precision);
  }
  for (const double beta : {0.5, 2.0}) {
    const EnergyMoments found = energy_moments(*model, beta, executor);
    CHECK(std::abs(found.least - lowest) <= tolerance(lowest));
    CHECK(std::abs(found.mean - lowest - 1.0 / beta) <= tolerance(lowest));
    CHECK(found.variance == doctest::Approx(1.0 / beta / beta).epsilon(1e-9));
  }
  CHECK(energy_moments_work(*model).of_states > 0.0);
}

}  // namespace energy_moments_test
