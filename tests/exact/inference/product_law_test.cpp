// The law of the overlap of spins of several levels, against loops over all pairs of states.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/framework/inference/product_law.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace product_law_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// q n of two replicas, in quarters, and how likely it is.
using Quarters = std::map<long, double>;

Quarters by_pairs(const EnergyModel& model, double beta) {
  const Oracle oracle(model);
  const std::vector<Oracle::State> states = oracle.states(model.layout().all());
  std::vector<double> weights;
  double z = 0.0;
  for (const Oracle::State& x : states) z += weights.emplace_back(std::exp(-beta * oracle.energy(x)));
  Quarters law;
  for (Index a = 0; a < states.size(); ++a)
    for (Index b = 0; b < states.size(); ++b) {
      double sum = 0.0;
      for (Index i = 0; i < states[a].size(); ++i) sum += states[a][i] * states[b][i];
      law[std::lround(4.0 * sum)] += weights[a] / z * weights[b] / z;
    }
  return law;
}

void check_overlaps(const EnergyModel& model, double beta, Index values) {
  const LayerObservables what(model, LayerId{0});
  const ThermalAverages found = StateSum(model, what, executor).at(beta, executor).thermal;
  const auto n = static_cast<double>(what.num_units());
  Quarters exact = by_pairs(model, beta);
  CHECK(found.overlaps.size() == values);
  double mean = 0.0, size = 0.0, squares = 0.0;
  for (const auto& [quarters, share] : exact) {
    const double q = 0.25 * static_cast<double>(quarters) / n;
    mean += share * q;
    size += share * std::abs(q);
    squares += share * q * q;
  }
  for (const OverlapShare& o : found.overlaps) {
    CHECK(o.low == o.high);
    CHECK(std::abs(o.share - exact[std::lround(4.0 * n * o.low)]) < 1e-12);
    exact.erase(std::lround(4.0 * n * o.low));
  }
  CHECK(exact.empty());  // every overlap that there is has its place
  const auto value = [&](const char* name) {
    return std::ranges::find(found.averages, name, &ThermalAverage::name)->value;
  };
  CHECK(std::abs(value("overlap") - mean) < 1e-12);
  CHECK(std::abs(value("abs_overlap") - size) < 1e-12);
  CHECK(std::abs(value("squared_overlap") - squares) < 1e-12);
}

}  // namespace

TEST_CASE("the overlap of two replicas of spins of several levels has the law of a loop over pairs of states") {
  struct Case {
    Index states, sites, values;  // 2 n S² / spacing + 1 values of q
  };
  // Multiples of 1/256 in both precisions: energies are exact.
  for (const Case& one : {Case{3, 4, 9}, Case{4, 3, 28}, Case{5, 3, 25}, Case{6, 2, 51}}) {
    CAPTURE(one.states);
    LevelsUnit::Options options;
    options.num_states = one.states;
    const auto unit = std::make_shared<LevelsUnit>(options);
    const auto model = random_model({{observed("v", one.sites, unit)}, {{0, 0}}, {}}, 7, 0.25);
    for (const double beta : {0.0, 0.7, 2.0}) {
      CAPTURE(beta);
      check_overlaps(*model, beta, one.values);
    }
  }
}

TEST_CASE("two draws from one state have its square, and of two levels the law is that of agreeing sites") {
  std::vector<double> frozen(81, 0.0);
  frozen[2 + 3 * 0 + 9 * 1 + 27 * 2] = 1.0;  // 1, -1, 0, 1
  const std::vector<double> always = product_law(frozen, 3, 4, executor);
  REQUIRE(always.size() == 9);  // from -4
  for (Index k = 0; k < 9; ++k) CHECK(std::abs(always[k] - (k == 7 ? 1.0 : 0.0)) < 1e-14);
  const std::vector<double> coins = product_law(std::vector<double>(8, 0.125), 2, 3, executor);
  const double binomial[] = {1.0, 3.0, 3.0, 1.0};
  REQUIRE(coins.size() == 4);
  for (Index k = 0; k < 4; ++k) CHECK(std::abs(coins[k] - binomial[k] / 8.0) < 1e-14);
}

TEST_CASE("the law of products has the same bits on one thread and on three") {
  std::vector<double> law(std::size_t{59049});  // 3^10, several pieces of work
  double z = 0.0;
  for (Index i = 0; i < law.size(); ++i) z += law[i] = 1.0 + std::sin(static_cast<double>(i));
  for (double& p : law) p /= z;
  const Executor one(1), three(3);
  CHECK(product_law(law, 3, 10, one) == product_law(law, 3, 10, three));
}

TEST_CASE("a law of products that would take minutes is left out") {
  CHECK(product_law_operations(3, 15) < 0x1p35);
  CHECK(product_law_operations(256, 2) > 0x1p35);
  LevelsUnit::Options options;
  options.num_states = 256;
  const auto model = random_model({{observed("v", 2, std::make_shared<LevelsUnit>(options))}, {}, {}}, 7, 0.01);
  const LayerObservables what(*model, LayerId{0});
  const ExactAverages found = StateSum(*model, what, executor).at(0.01, executor);
  CHECK(found.thermal.overlaps.empty());
  CHECK(found.magnetizations.size() == 511);
}

}  // namespace product_law_test
