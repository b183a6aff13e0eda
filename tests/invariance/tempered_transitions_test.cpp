// Exact-start chi-square of tempered transitions. False alarms of the suite: 3e-6 in all (chi_square.hpp); what it sees is
// in tests/controls/tempering_test.cpp, on the same models and ladders.

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/tempered_transitions.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/stationarity.hpp>
#include <harmonium/tests/support/tempered_law.hpp>

namespace tempered_transitions_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

TemperedTransitions sampler(Index num_temperatures, Scan scan = Scan::systematic) {
  return TemperedTransitions({.num_temperatures = num_temperatures,
                              .lowest_beta = 0.2,
                              .sampler = std::make_unique<Gibbs>(GibbsOptions{.scan = scan})});
}

void check_stationary(const Scenario& scenario, Index num_temperatures) {
  TemperedTransitions transitions = sampler(num_temperatures);
  const Findings findings = examine(transitions, drawn_here(scenario));
  INFO(findings.law.summary());
  CHECK(findings.complaint() == "");
}

}  // namespace

TEST_CASE("tempered transitions leave the law of every kind of model as it is") {
  for (const auto& model :
       {small_rbm(), small_general(), small_visible(), small_spins(), small_potts(), small_sparse()}) {
    check_stationary({.model = *model}, 3);
    check_stationary({.model = *model, .steps = 2, .batch = 1029, .draws = 100'000, .first_chain = 2}, 1);
  }
}

// Where a scan for its own reversal leaves another law, and the test of so many draws sees it: "margin > 6", it would pass
// with probability below 1e-9.
TEST_CASE("tempered transitions leave the law where a reversal that is none would not") {
  for (const TemperedCase& c : tempered_cases()) {
    CAPTURE(std::string(c.name));
    const auto model = c.make();
    const StateSpace space(model->layout());
    const std::vector<double> energy = energies(*model, space);
    const std::vector<double> betas = tempered_betas(c);
    const Law law = law_of(energy);
    const Matrices up = scans(energy, space, betas), down = backward_scans(energy, space, betas);
    const Law right = tempered_law(energy, betas, up, down);
    for (std::size_t s = 0; s < law.size(); ++s) CHECK(right[s] == doctest::Approx(law[s]).epsilon(1e-12));

    TemperedTransitions transitions(
        {.num_temperatures = c.num_temperatures, .lowest_beta = c.lowest_beta, .sampler = std::make_unique<Gibbs>()});
    const Findings findings = examine(transitions, {.model = *model, .draws = c.draws});
    CHECK(findings.complaint() == "");
    const double power = noncentrality(tempered_law(energy, betas, up, up), law, findings.draws);
    CAPTURE(power);
    CHECK(findings.law.margin(power) > 6.0);
  }
}

// Of three unit-precision normals coupled at 0.45 the exact start, 300,000 chains and one transition: the mean of a product
// that changes by 0.02 of its standard deviation is seen. A descent unit by unit after joint draws changes it by 0.1 of it.
TEST_CASE("tempered transitions leave the joint law of coupled Gaussian units as it is") {
  const auto check = [](const ContinuousScenario& scenario, Index num_temperatures, double lowest_beta) {
    TemperedTransitions transitions(
        {.num_temperatures = num_temperatures, .lowest_beta = lowest_beta, .sampler = std::make_unique<Gibbs>()});
    MeanChanges means(scenario.model, scenario.batch);
    const Findings findings = examine_continuous(transitions, drawn_here(scenario), &means);
    INFO(findings.law.summary());
    CHECK(findings.complaint() == "");
    CHECK(means.complaint() == "");
  };
  const auto normals = coupled_normals(3, 0.45);
  for (const double lowest_beta : {0.1, 0.2}) {
    const LawMaker law = gaussian_binary_law(*normals);
    check({.model = *normals, .law = law, .draws = 300'000}, 5, lowest_beta);
    // Rows of which some units are held are scanned in order, the others beside them drawn at once.
    check({.model = *normals,
           .law = law,
           .held_units = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
           .batch = 999,
           .draws = 299'700},
          5, lowest_beta);
  }
  for (const auto& model : {small_gaussian(3, true, false, 1), small_gaussian(2, true, true, 1)}) {
    const LawMaker law = gaussian_binary_law(*model);
    check({.model = *model, .law = law}, 3, 0.3);
    check({.model = *model, .law = law, .held_layers = model->layout().latent(), .draws = 60'000}, 3, 0.3);
    check({.model = *model, .law = law, .ladder = {1.0, 0.6}}, 2, 0.4);
  }
}

TEST_CASE("tempered transitions leave what is held alone, and the law given it as it is") {
  for (const auto& model : {small_rbm(), small_general()}) {
    check_stationary({.model = *model, .held_layers = model->layout().observed(), .draws = 60'000}, 2);
    const Index units = StateSpace(model->layout()).num_units();
    std::vector<std::uint8_t> some(units), none(units);
    for (const Index u : {0, 3, 7}) some[u] = 1;
    check_stationary({.model = *model, .held_units = {some, none}, .batch = 998, .draws = 90'000, .threads = 2}, 2);
  }
}

TEST_CASE("every rung of a ladder, and a base, keep their laws under tempered transitions") {
  const auto model = small_rbm();
  check_stationary({.model = *model, .ladder = {1.0, 0.4, 1.5}, .batch = 132, .draws = 132'000}, 2);
  LayerGraph graph;
  graph.layers = model->layout().layers();
  const auto base = random_machine(graph, 1.0, 8);
  check_stationary({.model = *model, .base = base.get(), .ladder = {1.0, 0.5}, .draws = 100'000}, 2);
}

TEST_CASE("a sampler without a reversal is no part of a tempered transition") {
  CHECK(message_of<ConfigError>([] { sampler(3, Scan::random); }) ==
        "no reversal of the inner sampler is known. Take 'gibbs' with a systematic "
        "scan.");
}

}  // namespace tempered_transitions_test
