// Negative controls of the exact-start tests of parallel tempering.

#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/samplers/tempered_transitions.hpp>
#include <harmonium/tests/controls/wrong_tempering.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>
#include <harmonium/tests/support/tempered_law.hpp>
#include <harmonium/tests/support/tempering.hpp>
#include <harmonium/tests/support/wrong_reversal.hpp>

namespace tempering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Exchange = OtherTempering::Exchange;
const std::vector<double> ladder{1.0, 0.5, 0.0};

Findings tempered(const EnergyModel& model, Exchange exchange, const EnergyModel* base = nullptr,
                  Index draws = 200'000) {
  OtherTempering sampler(ladder, exchange);
  return examine_ladder(sampler, {.model = model, .betas = ladder, .base = base, .draws = draws});
}

/// Biases so strong that an exchange which forgets them is far off.
std::unique_ptr<FactorialBase> strong_base(const EnergyModel& model) {
  auto base = std::make_unique<FactorialBase>(model);
  base->update_parameters([](std::span<Real> theta) {
    for (Index i = 0; i < theta.size(); ++i) theta[i] = i % 2 == 0 ? Real{2} : Real{-2};
  });
  return base;
}

void check_rejected(const Findings& findings) {
  INFO(findings.law.summary());
  CHECK(findings.law.rejected());
  CHECK(findings.law.seen_margin() > 6.0);
}

}  // namespace

TEST_CASE("the right exchange passes where the wrong ones below are caught") {
  for (const auto& model : {small_rbm(), small_general(), small_visible()}) {
    const auto base = strong_base(*model);
    CHECK(tempered(*model, Exchange::right).complaint() == "");
    CHECK(tempered(*model, Exchange::right, base.get()).complaint() == "");
  }
}

TEST_CASE("exchanges with a wrong ratio are rejected" * doctest::test_suite("slow")) {
  for (const auto& model : {small_rbm(), small_general(), small_visible()}) {
    check_rejected(tempered(*model, Exchange::half));
    check_rejected(tempered(*model, Exchange::always));
    const auto base = strong_base(*model);
    check_rejected(tempered(*model, Exchange::without_the_base, base.get(), 900'000));
  }
}

TEST_CASE("exchanges by scaled free energies are rejected") {
  for (const auto& model : {small_rbm(), small_semi_restricted()})
    check_rejected(tempered(*model, Exchange::scaled_free));
}

TEST_CASE("moves at the rung where a row was before the exchange are rejected") {
  check_rejected(tempered(*small_rbm(), Exchange::stale));
}

TEST_CASE("tempered transitions without their acceptance are rejected") {
  for (const auto& model : {small_rbm(), small_general(), small_potts()}) {
    HastyTransitions sampler;
    check_rejected(examine(sampler, {.model = *model}));
  }
}

TEST_CASE("tempered transitions that descend by the forward scan are rejected with the power that theory gives") {
  for (const TemperedCase& c : tempered_cases()) {
    CAPTURE(std::string(c.name));
    const auto model = c.make();
    const StateSpace space(model->layout());
    const std::vector<double> energy = energies(*model, space);
    const std::vector<double> betas = tempered_betas(c);
    const Matrices up = scans(energy, space, betas);
    TemperedTransitions wrong(
        {.num_temperatures = c.num_temperatures,
         .lowest_beta = c.lowest_beta,
         .sampler = std::make_unique<GibbsWithReversal>(GibbsWithReversal::Reversal::forward_scan)});
    const Findings findings = examine(wrong, {.model = *model, .draws = c.draws});
    check_rejected(findings);
    // What was seen is what was expected, within five standard deviations.
    const double expected = noncentrality(tempered_law(energy, betas, up, up), law_of(energy), findings.draws);
    CAPTURE(expected);
    CHECK(std::abs(findings.law.statistic() - findings.law.degrees() - expected) <
          5.0 * std::sqrt(2.0 * (findings.law.degrees() + 2.0 * expected)));
  }
}

TEST_CASE("tempered transitions that ascend by joint draws and descend unit by unit are rejected") {
  const auto model = coupled_normals(3, 0.45);
  for (const double lowest_beta : {0.1, 0.2}) {
    CAPTURE(lowest_beta);
    TemperedTransitions wrong(
        {.num_temperatures = 5,
         .lowest_beta = lowest_beta,
         .sampler = std::make_unique<GibbsWithReversal>(GibbsWithReversal::Reversal::unit_by_unit)});
    const ContinuousScenario scenario{.model = *model, .law = gaussian_binary_law(*model), .draws = 300'000};
    MeanChanges means(*model, scenario.batch);
    const Findings findings = examine_continuous(wrong, scenario, &means);
    INFO(means.complaint());
    CHECK(means.complaint() != "");
    CHECK(means.margin() > 6.0);
  }
}

}  // namespace tempering_test
