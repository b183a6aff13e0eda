// The averages of `observe --exact` beside loops over all states, and over all pairs of them.
#include <algorithm>
#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/agreement_law.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/poisson.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/spins.hpp>

#include "state_loops.hpp"

namespace exact_averages_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::state_loops;

namespace {

const Executor executor(2);

void check_exactly(const EnergyModel& model, LayerId layer) {
  const LayerObservables what(model, layer);
  const StateSum sum(model, what, executor);
  for (const double beta : {0.0, 0.4, 1.0, 2.5}) {
    CAPTURE(beta);
    check_averages(sum.at(beta, executor), by_loops(model, layer, beta, law_of(model, layer, beta)));
  }
}

}  // namespace

TEST_CASE("sums over all states are those of loops: spins with fields, bits, sites, with hidden units and without") {
  const Example models[] = {
      {"spin glass", small_spin_glass()},         {"RBM", small_rbm()},    {"spin RBM", small_spin_rbm()},
      {"lateral hidden", small_lateral_hidden()}, {"deep", small_deep()},  {"hidden first", small_triangle()},
      {"categorical", small_categorical()},       {"Potts", small_potts()}};
  for (const Example& example : models) {
    CAPTURE(example.name);
    for (const LayerId layer : example.model->layout().ids()) {
      CAPTURE(example.model->layout()[layer].name);
      check_exactly(*example.model, layer);
    }
  }
}

TEST_CASE("the laws of the overlap and of the magnetization are exact too, and so are correlations along a grid") {
  const auto model = random_model({{observed("v", 6, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 4, 0.6);
  const SiteGrid grid{{2, 3}, {true, false}};
  const LayerId layer{0};
  const LayerObservables what(*model, layer, &grid);
  const ExactAverages found = StateSum(*model, what, executor).at(0.8, executor);
  const std::vector<Weighted> law = law_of(*model, layer, 0.8);
  const std::map<int, double> overlaps = overlap_law(law, false);
  REQUIRE(found.thermal.overlaps.size() == 7);
  REQUIRE(found.magnetizations.size() == 7);
  for (int k = 0; k <= 6; ++k) {
    const OverlapShare& q = found.thermal.overlaps[static_cast<Index>(k)];
    const MagnetizationShare& m = found.magnetizations[static_cast<Index>(k)];
    CHECK(q.low == doctest::Approx((2 * k - 6) / 6.0));
    CHECK(q.high == q.low);
    CHECK(std::abs(q.share - overlaps.at(2 * k - 6)) <= tolerance(0.0));
    CHECK(m.m == doctest::Approx((2 * k - 6) / 6.0));
    const double exact = mean(law, [&](const Weighted& w) { return std::abs(magnetization_of(w) - m.m) < 1e-9; });
    CHECK(std::abs(m.share - exact) <= tolerance(0.0));
  }
  // Two rows of three sites that go round: at distance 1 along the rows every pair of a row.
  REQUIRE(found.thermal.correlations.size() == 2);
  const double along = mean(law, [](const Weighted& w) {
    double sum = 0.0;
    for (const Index y : {0, 3})
      for (Index x = 0; x < 3; ++x) sum += w.units[y + x] * w.units[y + (x + 1) % 3];
    return sum / 6.0;
  });
  const double across = mean(law, [](const Weighted& w) {
    return (w.units[0] * w.units[3] + w.units[1] * w.units[4] + w.units[2] * w.units[5]) / 3.0;
  });
  CHECK(std::abs(found.thermal.correlations[0].value - across) <= tolerance(0.0));
  CHECK(std::abs(found.thermal.correlations[1].value - along) <= tolerance(0.0));
}

TEST_CASE("the staggered magnetization is that of spins of any size whose signs alternate along an open grid") {
  const SiteGrid grid{{2, 3}, {true, true}};
  const double signs[] = {1.0, -1.0, 1.0, -1.0, 1.0, -1.0};
  const auto levels = std::make_shared<LevelsUnit>(LevelsUnit::Options{});
  const std::shared_ptr<const UnitType> units[] = {std::make_shared<SpinUnit>(), binary(), levels};
  for (const auto& unit : units) {
    CAPTURE(unit->name());
    const auto model = random_model({{observed("v", 6, unit)}, {{0, 0}}, {}}, 6, 0.6);
    const LayerObservables what(*model, LayerId{0}, &grid);
    CHECK(what.is_staggered());
    const ExactAverages found = StateSum(*model, what, executor).at(0.8, executor);
    const std::vector<Weighted> law = law_of(*model, LayerId{0}, 0.8);
    const auto staggered = [&](const Weighted& w) {
      double sum = 0.0;
      for (Index i = 0; i < 6; ++i) sum += signs[i] * w.units[i] / 6.0;
      return sum;
    };
    const double first = mean(law, staggered),
                 size = mean(law, [&](const Weighted&w) { return std::abs(staggered(w)); });
    const double squares = mean(law, [&](const Weighted& w) { return std::pow(staggered(w), 2); });
    const std::pair<const char*, double> exact[] = {{"staggered_magnetization", first},
                                                    {"staggered_abs_magnetization", size},
                                                    {"staggered_squared_magnetization", squares},
                                                    {"staggered_susceptibility", 4.8 * (squares - first * first)}};
    for (const auto& average : exact) {
      CAPTURE(average.first);
      const auto of = std::ranges::find(found.thermal.averages, average.first, &ThermalAverage::name);
      REQUIRE(of != found.thermal.averages.end());
      CHECK(std::abs(of->value - average.second) <= tolerance(0.0));
    }
  }
  // No order of units that are not coupled with each other.
  const auto rbm = random_rbm(6, 2, 1);
  CHECK_FALSE(LayerObservables(*rbm, LayerId{0}, &grid).is_staggered());
}

TEST_CASE("an average that is 0 by symmetry is 0, and one that hardly differs from 0 is not") {
  // A triangle above another, joined by `joint`: on a flip of one of them correlations between the two change their sign. Off the
  // grid, sums of such terms leave some 1e-17.
  const auto two_triangles = [](double joint) {
    return spins_on(
        {6, {{0, 1, 0.37}, {1, 2, -0.81}, {0, 2, 0.53}, {3, 4, 0.29}, {4, 5, 0.67}, {3, 5, -0.43}, {0, 3, joint}}});
  };
  const SiteGrid grid{{2, 3}, {true, false}};
  const auto between = [&](const EnergyModel& model, double beta) {
    const LayerObservables what(model, LayerId{0}, &grid);
    return StateSum(model, what, executor).at(beta, executor).thermal.correlations[0].value;
  };
  // Neighbors along a path, joined by a, b, -a and -b: tanh(beta a) + tanh(beta b) less the same.
  const auto path = spins_on({5, {{0, 1, 0.37}, {1, 2, 0.81}, {2, 3, -0.37}, {3, 4, -0.81}}});
  const LayerObservables of_path(*path, LayerId{0});
  for (const double beta : {0.0, 0.3, 0.8, 1.7, 3.1}) {
    CAPTURE(beta);
    CHECK(between(*two_triangles(0.0), beta) == 0.0);
    const auto averages = StateSum(*path, of_path, executor).at(beta, executor).thermal.averages;
    const auto pairs = std::ranges::find(averages, "pair_correlation", &ThermalAverage::name);
    REQUIRE(pairs != averages.end());
    CHECK(pairs->value == 0.0);
  }
  // To first order in the joint, beta joint (1 + <s0 s1><s3 s4> + <s0 s2><s3 s5>) / 3, of the triangles apart.
  const auto apart = two_triangles(0.0);
  const std::vector<Weighted> law = law_of(*apart, LayerId{0}, 0.8);
  const auto pair = [&](Index i, Index j) {
    return mean(law, [&](const Weighted& w) { return w.units[i] * w.units[j]; });
  };
  const double slope = 0.8 / 3.0 * (1.0 + pair(0, 1) * pair(3, 4) + pair(0, 2) * pair(3, 5));
  CHECK(between(*two_triangles(1e-9), 0.8) == doctest::Approx(1e-9 * slope).epsilon(1e-5));
}

TEST_CASE("log Z of a sum over states is that of the loop") {
  const auto model = random_model({{observed("v", 5, std::make_shared<SpinUnit>()), latent("h", 3)}, {{0, 1}}, {}}, 5);
  const LayerObservables what(*model, LayerId{0});
  const StateSum sum(*model, what, executor);
  const Oracle oracle(*model);
  for (const double beta : {0.0, 0.3, 1.7}) {
    CAPTURE(beta);
    CHECK(sum.at(beta, executor).log_z_but_constant ==
          doctest::Approx(oracle.log_z(beta)).epsilon(in_single ? 1e-6 : 1e-12));
  }
}

TEST_CASE("a sum over states has the same bits on one thread and on three") {
  const auto model = random_model({{observed("v", 9, std::make_shared<SpinUnit>()), latent("h", 6)}, {{0, 1}}, {}}, 5);
  const LayerObservables what(*model, LayerId{0});
  const Executor one(1), three(3);
  const ExactAverages a = StateSum(*model, what, one).at(1.1, one), b = StateSum(*model, what, three).at(1.1, three);
  for (Index k = 0; k < a.thermal.averages.size(); ++k)
    CHECK(a.thermal.averages[k].value == b.thermal.averages[k].value);
  for (Index k = 0; k < a.thermal.overlaps.size(); ++k)
    CHECK(a.thermal.overlaps[k].share == b.thermal.overlaps[k].share);
}

TEST_CASE("two draws from one state agree everywhere, and uniform ones as often as coins and dice") {
  std::vector<double> frozen(81, 0.0);
  frozen[50] = 1.0;
  const std::vector<double> always = agreement_law(frozen, 3, 4, executor);
  for (Index k = 0; k <= 4; ++k) CHECK(std::abs(always[k] - (k == 4 ? 1.0 : 0.0)) < 1e-14);
  const std::vector<double> dice = agreement_law(std::vector<double>(81, 1.0 / 81.0), 3, 4, executor);
  const double binomial[] = {16.0, 32.0, 24.0, 8.0, 1.0};  // C(4, k) 2^(4 - k)
  for (Index k = 0; k <= 4; ++k) CHECK(std::abs(dice[k] - binomial[k] / 81.0) < 1e-14);
}

TEST_CASE("there is no sum over too many states, or over those of units that are neither few-valued nor Gaussian") {
  const auto many = random_model({{observed("v", 25)}, {}, {}}, 1);
  const LayerObservables of_many(*many, LayerId{0});
  CHECK_THROWS_WITH_AS(StateSum(*many, of_many, executor),
                       "a sum over all states has 2^25 of them, and 2^24 are the most. Run chains.", CapabilityError);
  const auto counts = random_model({{observed("x", 2, std::make_shared<PoissonUnit>())}, {}, {}}, 1);
  const LayerObservables of_counts(*counts, LayerId{0});
  CHECK_THROWS_AS(StateSum(*counts, of_counts, executor), CapabilityError);
}

}  // namespace exact_averages_test
