// The averages of `observe --exact` where hidden units are summed out, beside loops over all states of all units.
#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>

#include "state_loops.hpp"

namespace conditional_energies_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::state_loops;

namespace {

const Executor executor(2);
constexpr double conditional = 0.0;  ///< joint states that are summed over one by one: none

/// 4 visible and 3 hidden units, of which the visible ones are coupled too where `lateral`.
std::unique_ptr<LayeredModel> machine(const std::shared_ptr<const UnitType>& visible,
                                      const std::shared_ptr<const UnitType>& hidden, bool lateral) {
  LayerGraph graph{{observed("v", 4, visible), latent("h", 3, hidden)}, {{0, 1}}, {}};
  if (lateral) graph.couplings.emplace_back(0, 0);
  return random_model(std::move(graph), 31, 0.7);
}

double log_z_by_loops(const EnergyModel& model, double beta) {
  const Oracle oracle(model);
  double z = 0.0;
  for (const Oracle::State& x : oracle.states(model.layout().all())) z += std::exp(-beta * oracle.energy(x));
  return std::log(z);
}

double lowest_by_loops(const EnergyModel& model) {
  const Oracle oracle(model);
  double least = INFINITY;
  for (const Oracle::State& x : oracle.states(model.layout().all())) least = std::min(least, oracle.energy(x));
  return least;
}

/// With the units of the layers that are not `summed_over` summed out.
void check_conditionally(const EnergyModel& model, LayerId layer, LayerSet summed_over) {
  const LayerObservables what(model, layer);
  const StateSum sum(model, what, executor, nullptr, conditional);
  CHECK(sum.summed_over() == summed_over);
  CHECK(sum.num_states() == std::llround(std::exp2(model.layout().log2_states(summed_over))));
  const double least = lowest_by_loops(model);
  CHECK(std::abs(sum.lowest_energy() - least) <= tolerance(least));
  for (const double beta : {0.0, 0.4, 1.0, 2.5}) {
    CAPTURE(beta);
    const ExactAverages found = sum.at(beta, executor);
    check_averages(found, by_loops(model, layer, beta, law_of(model, layer, beta)));
    const double log_z = log_z_by_loops(model, beta);
    CHECK(std::abs(found.log_z_but_constant - log_z) <= tolerance(log_z));
  }
}

LayerSet layers(std::initializer_list<int> which) {
  LayerSet set;
  for (const int l : which) set.add(LayerId(l));
  return set;
}

}  // namespace

TEST_CASE("with hidden units summed out all averages are those of loops over both layers") {
  const auto spin = std::make_shared<SpinUnit>();
  const auto levels = std::make_shared<LevelsUnit>(LevelsUnit::Options{});
  const Example models[] = {{"bits", machine(binary(), binary(), false)},
                            {"spins", machine(spin, spin, false)},
                            {"spins and bits", machine(spin, binary(), false)},
                            {"coupled bits", machine(binary(), binary(), true)},
                            {"coupled spins", machine(spin, spin, true)},
                            {"hidden levels, with a curvature", machine(spin, levels, true)},
                            {"sites and bits", small_categorical()},
                            {"sites of two layers", small_potts()}};
  for (const Example& example : models) {
    CAPTURE(example.name);
    check_conditionally(*example.model, LayerId{0}, layers({0}));
  }
  // Of the hidden layer the visible ones are summed out, unless they are coupled: then the sum is over both.
  check_conditionally(*models[1].model, LayerId{1}, layers({1}));
  check_conditionally(*models[4].model, LayerId{1}, layers({0, 1}));
}

TEST_CASE("of several layers as few are summed over as leave the others independent") {
  check_conditionally(*small_deep(), LayerId{0}, layers({0, 2}));
  check_conditionally(*small_deep(), LayerId{1}, layers({1}));
  check_conditionally(*small_triangle(), LayerId{2}, layers({0, 2}));
}

TEST_CASE("Gaussian units stand beside bits that are summed out as they do in a sum over all states") {
  const auto model = random_model({{observed("v", 4, std::make_shared<SpinUnit>()), latent("h", 3),
                                    latent("g", 2, std::make_shared<GaussianUnit>())},
                                   {{0, 0}, {0, 1}, {0, 2}},
                                   {}},
                                  32, 0.7);
  const LayerObservables what(*model, LayerId{0});
  HeldState held{Chains(model->layout(), 1), {}};
  held.state.write(LayerId{2})(0, 1) = Real{0.75};
  held.units.hold_units(LayerId{2}, 2, {0, 1});
  for (const HeldState* given : {static_cast<const HeldState*>(nullptr), static_cast<const HeldState*>(&held)}) {
    const StateSum joint(*model, what, executor, given), few(*model, what, executor, given, conditional);
    CHECK(joint.num_states() == 128);
    CHECK(few.num_states() == 16);
    CHECK(few.integrates());
    CHECK(std::abs(few.lowest_energy() - joint.lowest_energy()) <= tolerance(joint.lowest_energy()));
    for (const double beta : {0.4, 1.0, 2.5}) {
      CAPTURE(beta);
      const ExactAverages found = few.at(beta, executor), exact = joint.at(beta, executor);
      REQUIRE(found.thermal.averages.size() == exact.thermal.averages.size());
      for (Index k = 0; k < exact.thermal.averages.size(); ++k) {
        CAPTURE(exact.thermal.averages[k].name);
        const double value = exact.thermal.averages[k].value;
        CHECK(std::abs(found.thermal.averages[k].value - value) <= tolerance(value));
      }
    }
  }
}

TEST_CASE("16 spins with as many hidden ones are summed over, and 25 bits are not") {
  // Joined in pairs by w, each is a system of its own: E = -w s h, of energy -w tanh(beta w) and variance w^2 / cosh^2.
  const auto spin = std::make_shared<SpinUnit>();
  LayeredModel pairs({{observed("v", 16, spin), latent("h", 16, spin)}, {{0, 1}}, {}});
  const ParameterLayout& p = pairs.parameter_layout();
  pairs.update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = p.view(p.find("weight.v.h"), theta.data());
    for (Index i = 0; i < 16; ++i) w(i, i) = Real{0.5};
  });
  const LayerObservables what(pairs, LayerId{0});
  CHECK(StateSum::log2_states(pairs, LayerId{0}) == 16.0);
  const StateSum sum(pairs, what, executor);
  for (const double beta : {0.5, 2.0, 40.0}) {
    CAPTURE(beta);
    const std::vector<ThermalAverage> found = sum.at(beta, executor).thermal.averages;
    const double th = std::tanh(0.5 * beta), heat = std::pow(0.5 * beta / std::cosh(0.5 * beta), 2);
    CHECK(found[0].value == doctest::Approx(-8.0 * th).epsilon(1e-6));
    CHECK(found[2].value == doctest::Approx(0.5 * heat).epsilon(in_double ? 1e-9 : 1e-4));
  }
  CHECK(StateSum::log2_states(*random_rbm(25, 4, 1), LayerId{0}) == 25.0);
  CHECK(StateSum::log2_states(*random_rbm(25, 4, 1), LayerId{1}) == 4.0);
}

TEST_CASE("a sum with hidden units summed out has the same bits on one thread and on three") {
  const auto model = random_rbm(12, 9, 5);
  const LayerObservables what(*model, LayerId{0});
  const Executor one(1), three(3);
  const ExactAverages a = StateSum(*model, what, one).at(1.1, one), b = StateSum(*model, what, three).at(1.1, three);
  CHECK(a.log_z_but_constant == b.log_z_but_constant);
  for (Index k = 0; k < a.thermal.averages.size(); ++k)
    CHECK(a.thermal.averages[k].value == b.thermal.averages[k].value);
}

}  // namespace conditional_energies_test
