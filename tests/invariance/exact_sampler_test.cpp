// The exact sampler against the enumerated law, which the test counts out by itself.

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/samplers/exact.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace exact_sampler_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

void check_exact(const Scenario& scenario) {
  Exact exact;
  const Findings findings = examine(exact, scenario);
  INFO(findings.law.summary());
  CHECK(findings.complaint() == "");
}

/// Draws that start at one state, whatever the law: an exact sampler must forget it in one step.
ChiSquare from_one_state(const EnergyModel& model, double beta) {
  const StateSpace space(model.layout());
  std::vector<double> energy = energies(model, space);
  for (double& e : energy) e *= beta;
  const Executor executor(1);
  constexpr Index draws = 150'000;
  Chains chains(model.layout(), draws, 7);
  Target target{model};
  target.beta = beta;
  Exact().advance(target, chains, 1, {executor, {3, 4}}, nullptr);
  std::vector<std::uint64_t> counts(space.size(), 0);
  for (const std::size_t s : space.read(chains)) ++counts[s];
  ChiSquare test;
  test.add(counts, law_of(energy));
  return test;
}

}  // namespace

TEST_CASE("the exact sampler draws from the enumerated law in one step") {
  for (const auto& model : {small_rbm(), small_semi_restricted(), small_lateral_hidden(), small_general(), small_deep(),
                            small_triangle(), small_visible()}) {
    for (const double beta : {1.0, 0.5, 1.6}) {
      CAPTURE(beta);
      const ChiSquare test = from_one_state(*model, beta);
      CHECK_MESSAGE(!test.rejected(), test.summary());
    }
  }
}

TEST_CASE("the exact sampler leaves every law as it is, and its draws are independent") {
  for (const auto& model : {small_rbm(), small_deep(), small_visible()}) {
    check_exact({.model = *model, .steps = 1});
    check_exact({.model = *model, .steps = 5, .batch = 129, .draws = 60'000, .first_chain = 2});
    check_exact({.model = *model, .ladder = {1.0, 0.5, 0.0}, .batch = 100, .draws = 60'000});
  }
}

TEST_CASE("with layers held the exact sampler draws from the law given them") {
  for (const auto& model : {small_rbm(), small_general(), small_deep()}) {
    check_exact({.model = *model, .held_layers = model->layout().observed(), .draws = 30'000});
    check_exact({.model = *model, .beta = 0.5, .held_layers = model->layout().latent(), .draws = 30'000});
  }
}

TEST_CASE("with single units held the exact sampler draws from the law given them") {
  for (const auto& model : {small_rbm(), small_general(), small_deep(), small_categorical(), small_potts()}) {
    const std::size_t num_units = StateSpace(model->layout()).num_units();
    std::vector<std::uint8_t> few(num_units, 0), many(num_units, 1), none(num_units, 0);
    few[1] = 1;
    many[0] = many[num_units - 1] = 0;
    check_exact({.model = *model, .held_units = {few}, .draws = 30'000});
    check_exact({.model = *model, .beta = 0.5, .held_units = {few, many, none}, .draws = 9'000});
  }
}

}  // namespace exact_sampler_test
