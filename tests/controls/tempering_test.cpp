// Negative controls of the exact-start tests of parallel tempering.

#include <doctest/doctest.h>

#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/tests/controls/wrong_tempering.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/tempering.hpp>

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Exchange = OtherTempering::Exchange;
const std::vector<double> ladder{1.0, 0.5, 0.0};

Findings tempered(const EnergyModel& model, Exchange exchange, const EnergyModel* base = nullptr) {
  OtherTempering sampler(ladder, exchange);
  return examine_ladder(sampler, {.model = model, .betas = ladder, .base = base});
}

void check_rejected(const Findings& findings) {
  INFO(findings.law.words());
  CHECK(findings.law.rejected());
  CHECK(findings.law.seen_margin() > 6.0);
}

}  // namespace

TEST_CASE("the right exchange passes where the wrong ones below are caught") {
  for (const auto& model : {small_rbm(), small_general(), small_visible()}) {
    const FactorialBase base(*model);
    CHECK(tempered(*model, Exchange::right).complaint() == "");
    CHECK(tempered(*model, Exchange::right, &base).complaint() == "");
  }
}

TEST_CASE("exchanges with a wrong ratio are rejected") {
  for (const auto& model : {small_rbm(), small_general(), small_visible()}) {
    check_rejected(tempered(*model, Exchange::half));
    check_rejected(tempered(*model, Exchange::always));
    const FactorialBase base(*model);
    check_rejected(tempered(*model, Exchange::without_the_base, &base));
  }
}

TEST_CASE("exchanges by scaled free energies are rejected") {
  for (const auto& model : {small_rbm(), small_semi_restricted()})
    check_rejected(tempered(*model, Exchange::scaled_free));
}

TEST_CASE("moves at the rung where a row was before the exchange are rejected") {
  check_rejected(tempered(*small_rbm(), Exchange::stale));
}
