// Exact-start chi-square of tempered transitions. False alarms of the suite: 3e-6 in all (chi_square.hpp); what it sees is
// in tests/controls.

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/tempered_transitions.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/stationarity.hpp>

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
  const Findings findings = examine(transitions, scenario);
  INFO(findings.law.words());
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
  const auto base = random_machine(std::move(graph), 1.0, 8);
  check_stationary({.model = *model, .base = base.get(), .ladder = {1.0, 0.5}, .draws = 100'000}, 2);
}

TEST_CASE("a sampler without a reversal is no part of a tempered transition") {
  CHECK(message_of<ConfigError>([] { sampler(3, Scan::random); }) ==
        "no reversal of the inner sampler is known. Take 'gibbs' with a systematic "
        "scan.");
}
