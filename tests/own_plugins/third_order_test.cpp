// Couplings of three spins: their energy, and what they learn that pairs cannot.
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/term_suite.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/estimators.hpp>
#include <harmonium/plugins/third_order/third_order.hpp>

namespace third_order_test {

using namespace harmonium;

namespace {

std::unique_ptr<LayeredModel> spins(Index size, std::vector<std::string> triples) {
  const std::vector<Layer> layers{{"visible", size, std::make_shared<SpinUnit>(), Role::observed}};
  EnergyTerms terms;
  terms.push_back(std::make_unique<ThirdOrderTerm>(ThirdOrderTerm::Options{"visible", std::move(triples)}));
  return std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms)));
}

void check_all_pass(const CheckReport& report, Index at_least) {
  Index passed = 0;
  for (const CheckResult& r : report.results()) {
    CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
    passed += r.outcome == CheckOutcome::passed ? 1 : 0;
  }
  CHECK(passed >= at_least);
}

std::string refusal(std::vector<std::string> triples) {
  try {
    spins(4, std::move(triples));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the energy of third order is the sum over its triples") {
  const auto model = spins(5, {"0 1 2", "4 3 2"});
  model->update_parameters([&](std::span<Real> theta) {
    for (Index i = 0; i < theta.size(); ++i) theta[i] = static_cast<Real>(0.25 * static_cast<double>(i) - 0.5);
  });
  const ParameterLayout& parameters = model->parameter_layout();
  const auto theta = [&](const char* name, Index i) {
    return static_cast<double>(model->parameters()[parameters[parameters.find(name)].offset + i]);
  };
  const Chains rows = conformance::random_rows(model->layout(), 20, 1);
  std::vector<double> e(rows.size());
  model->energy(rows, e);
  for (Index r = 0; r < rows.size(); ++r) {
    const auto s = [&](Index i) { return static_cast<double>(rows.read(LayerId{0})(r, i)); };
    double expected =
        -theta("triple.visible", 0) * s(0) * s(1) * s(2) - theta("triple.visible", 1) * s(2) * s(3) * s(4);
    for (Index i = 0; i < 5; ++i) expected -= theta("bias.visible", i) * s(i);
    CHECK(e[r] == doctest::Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("a term of third order keeps what terms and models promise, colored and unit by unit") {
  for (const std::vector<std::string>& triples : {std::vector<std::string>{}, {"0 1 2", "2 3 4", "1 3 5"}}) {
    const auto model = spins(6, triples);
    CheckReport of_term, of_model;
    conformance::check_term(
        [&] {
          return std::make_unique<ThirdOrderTerm>(ThirdOrderTerm::Options{"visible", triples});
        },
        model->layout(), of_term);
    check_all_pass(of_term, 8);
    conformance::check_model(*model, of_model);
    check_all_pass(of_model, 10);
  }
  CHECK(spins(6, {})->block_conditionals()->blocks().size() == 6);                  // any two see each other
  CHECK(spins(6, {"0 1 2", "3 4 5"})->block_conditionals()->blocks().size() == 3);  // a color each of a triple
}

TEST_CASE("what an epoch costs counts couplings of third order too") {
  const auto model = spins(5, {"0 1 2", "4 3 2"});
  const auto cd = make_cd();
  const double products = cd->products(*model, 10);
  CHECK(products > 0);
  CHECK(operations_per_epoch(*model, *cd, 10, 3) == 2.0 * 2.0 * products * 3.0);
}

TEST_CASE("triples that are none are refused") {
  for (const char* wrong : {"0 1", "0 1 1", "0 1 4", "-1 1 2", "0 1 2 3", "a b c", ""}) {
    CAPTURE(wrong);
    CHECK(refusal({wrong}).find("is no triple. Give three different units of the 4 there are") != std::string::npos);
  }
  CHECK(refusal({"0 1 2", "2 1 0"}).find("each triple once") != std::string::npos);
  CHECK_THROWS_WITH_AS(spins(2, {}), "term 'third_order': the layer has fewer than three units. Take a larger one.",
                       ConfigError);
  const std::vector<Layer> layers{
      {"visible", 3, std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3}), Role::observed}};
  EnergyTerms terms;
  terms.push_back(std::make_unique<ThirdOrderTerm>(ThirdOrderTerm::Options{"visible", {}}));
  CHECK_THROWS_AS(LayeredModel(layers, std::move(terms)), ConfigError);
}

TEST_CASE("products of three units without bounds are refused, as no density need exist") {
  const std::vector<Layer> layers{{"visible", 3, std::make_shared<GaussianUnit>(), Role::observed}};
  EnergyTerms terms;
  terms.push_back(std::make_unique<ThirdOrderTerm>(ThirdOrderTerm::Options{"visible", {}}));
  CHECK_THROWS_WITH_AS(
      LayeredModel(layers, with_unit_terms(layers, std::move(terms))),
      "the term '- sum_ijk J_ijk visible_i visible_j visible_k' couples continuous units of layer 'visible' "
      "in another way than by products of two: no density is sure to exist. Take units with a few states.",
      ConfigError);
}

}  // namespace third_order_test
