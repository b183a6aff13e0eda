// One bias for all units of a layer: its slope is the sum of those of the units, in all that a model and its estimators offer.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/training/parameter_checks.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace uniform_bias_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

const std::string uniform = "{ type = 'bias', layer = 'v', uniform = true }";

/// The terms of a model of layers `v`, and of `h` behind it, both with a bias a unit unless they say otherwise.
std::unique_ptr<EnergyModel> model_of(const std::string& layers, const std::string& terms) {
  return make<EnergyModel>("type = 'layered'\nlayers = [" + layers + "]\nterms = [" + terms + "]\n");
}

struct Case {
  const char *name, *layers, *terms;
};
const Case cases[] = {
    {"spins on a lattice", "{ name = 'v', size = 9, units = 'spin' }",
     "{ type = 'lattice', layer = 'v', shape = [3, 3], uniform = true, share = [0, 0] }"},
    {"bits that all couple", "{ name = 'v', size = 5 }", "{ type = 'lateral', layer = 'v' }"},
    {"bits before hidden spins", "{ name = 'v', size = 4 }, { name = 'h', size = 3, role = 'latent', units = 'spin' }",
     "{ type = 'coupling', layers = ['v', 'h'] }"},
    {"Gaussian units on a lattice", "{ name = 'v', size = 4, units = 'gaussian' }",
     "{ type = 'lattice', layer = 'v', shape = [4] }"},
    {"Gaussian units before hidden bits",
     "{ name = 'v', size = 3, units = 'gaussian', learn_precision = true }, { name = 'h', size = 2, role = 'latent' }",
     "{ type = 'coupling', layers = ['v', 'h'] }"},
    {"hidden levels before which bits are",
     "{ name = 'b', size = 3 }, { name = 'v', size = 2, role = 'latent', units = 'levels' }",
     "{ type = 'coupling', layers = ['b', 'v'] }"},
};

const ParameterBlock& bias_of(const EnergyModel& model) {
  return model.parameter_layout()[model.parameter_layout().find("bias.v")];
}

/// The model of a case, and one of the same θ in which each unit has a bias.
struct Pair {
  std::unique_ptr<EnergyModel> one, each;
};
Pair pair_of(const Case& c) {
  // The term stands in the same place in both, so that θ has one order.
  Pair pair{model_of(c.layers, uniform + ", " + c.terms),
            model_of(c.layers, "{ type = 'bias', layer = 'v' }, " + std::string(c.terms))};
  randomize(*pair.one, 7, 0.25);
  pair.each->update_parameters(
      [&](std::span<Real> theta) { std::ranges::copy(pair.one->parameters(), theta.begin()); });
  return pair;
}

/// The gradient of the twin, and at each entry of the bias the sum of its entries.
std::vector<double> with_sum(const ParameterBlock& bias, const std::vector<Real>& of_each) {
  std::vector<double> expected(of_each.begin(), of_each.end());
  const auto first = expected.begin() + static_cast<std::ptrdiff_t>(bias.offset);
  const auto last = first + static_cast<std::ptrdiff_t>(bias.size());
  std::fill(first, last, std::accumulate(first, last, 0.0));
  return expected;
}

std::vector<Real> gradient_by(const std::string& estimator, const EnergyModel& model, const Chains& rows, int threads) {
  const auto made = make<GradientEstimator>(estimator);
  const std::vector<double> weights(rows.size(), 1.0 / static_cast<double>(rows.size()));
  Posterior posterior;
  std::vector<Real> gradient(model.parameters().size());
  made->estimate(model, {rows, weights, posterior}, gradient, {Executor(threads), RandomSource{1, 0}});
  return gradient;
}

}  // namespace

TEST_CASE("models with one bias for all units of a layer keep what models promise") {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto model = model_of(c.layers, std::string(c.terms) + ", " + uniform);
    CheckReport report;
    check_model(*model, report);
    for (const CheckResult& r : report.results())
      CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check << ": " << r.words);
    CHECK(std::ranges::count(report.results(), CheckOutcome::passed, &CheckResult::outcome) > 5);
  }
}

TEST_CASE("the gradient by a bias of all units is the sum of those by the bias of each, whatever estimates it") {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pair pair = pair_of(c);
    const ParameterBlock& bias = bias_of(*pair.one);
    const Chains rows = random_rows(pair.one->layout(), 6, 5);
    const bool latent = !pair.one->layout().latent().empty();
    const bool gaussian = pair.one->layout()[LayerId{0}].unit->name() == "gaussian";
    std::vector<std::string> estimators{"type = 'cd'"};
    if (!gaussian) estimators.insert(estimators.end(), {"type = 'exact'", "type = 'ratio_matching'"});
    if (!gaussian && !latent) estimators.emplace_back("type = 'pseudo_likelihood'");
    if (gaussian) estimators.emplace_back("type = 'score_matching'");
    for (const std::string& estimator : estimators) {
      CAPTURE(estimator);
      const std::vector<Real> one = gradient_by(estimator, *pair.one, rows, 1);
      const std::vector<double> expected = with_sum(bias, gradient_by(estimator, *pair.each, rows, 1));
      for (Index k = 0; k < one.size(); ++k) {
        CAPTURE(k);
        CHECK(std::abs(static_cast<double>(one[k]) - expected[k]) <= rounding(64.0, 1.0 + std::abs(expected[k])));
      }
      // "One parameter" is to the bit, for any number of threads.
      CHECK(std::count(one.begin() + static_cast<std::ptrdiff_t>(bias.offset),
                       one.begin() + static_cast<std::ptrdiff_t>(bias.offset + bias.size()),
                       one[bias.offset]) == static_cast<std::ptrdiff_t>(bias.size()));
      CHECK(gradient_by(estimator, *pair.one, rows, 3) == one);
    }
  }
}

TEST_CASE("the exact gradient by a shared field is the slope of the log likelihood along it, by sums over all states") {
  constexpr Index sites = 6, rows = 3;
  const auto model = model_of("{ name = 'v', size = 6, units = 'spin' }",
                              "{ type = 'lattice', layer = 'v', shape = [6], uniform = true }, " + uniform);
  const ParameterBlock& bias = bias_of(*model);
  const ParameterLayout& layout = model->parameter_layout();
  const Index coupling = layout[layout.find("lattice.v")].offset;
  constexpr double j = 0.375, h = -0.25;
  model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, static_cast<Real>(h));
    theta[coupling] = static_cast<Real>(j);
  });
  const unsigned data[rows] = {0b101101, 0b000111, 0b100000};
  Chains states(model->layout(), rows);
  const auto spin = [](unsigned state, Index i) { return state >> i % sites & 1u ? 1.0 : -1.0; };
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < sites; ++i) states.write(LayerId{0})(r, i) = static_cast<Real>(spin(data[r], i));
  const auto sums = [&](unsigned state) {
    std::pair<double, double> s{0.0, 0.0};  // Σ s, Σ s s'
    for (Index i = 0; i < sites; ++i) {
      s.first += spin(state, i);
      s.second += spin(state, i) * spin(state, i + 1);
    }
    return s;
  };
  double z = 0.0, of_field = 0.0, of_coupling = 0.0;
  for (unsigned state = 0; state < 1u << sites; ++state) {
    const auto [m, e] = sums(state);
    const double weight = std::exp(h * m + j * e);
    z += weight;
    of_field += weight * m;
    of_coupling += weight * e;
  }
  of_field /= z;
  of_coupling /= z;
  for (const unsigned state : data) {
    of_field -= sums(state).first / rows;
    of_coupling -= sums(state).second / rows;
  }
  const std::vector<Real> gradient = gradient_by("type = 'exact'", *model, states, 2);
  CHECK(std::abs(static_cast<double>(gradient[coupling]) - of_coupling) <= rounding(200.0));
  for (Index i = 0; i < sites; ++i)
    CHECK(std::abs(static_cast<double>(gradient[bias.offset + i]) - of_field) <= rounding(200.0));
}

TEST_CASE("a bias of all units is one parameter wherever parameters are counted") {
  const auto model = model_of(cases[0].layers, std::string(cases[0].terms) + ", " + uniform);
  const ParameterBlock& bias = bias_of(*model);
  CHECK(bias.size() == 9);
  CHECK(free_entries(bias) == 1);
  CHECK(free_parameters(*model).size() == 2);
  const std::vector<Real> two(model->parameters().size(), Real{2});
  CHECK(squared_norm(model->parameter_layout(), two, executor) == 8.0);
  CHECK(sum_over_parameters(model->parameter_layout(), two.data(), [](Index, double v) { return v; }) == 4.0);
  CHECK(model->formula() == "- sum_<ij> w_ij v_i v_j - b sum_i v_i");
}

TEST_CASE("a model with one bias for all units is made again by what it says of itself") {
  const auto model = model_of(cases[0].layers, uniform + ", " + cases[0].terms);
  Value effective;
  const auto again = builtin_registries().make<EnergyModel>(model->configuration(), effective);
  CHECK(bias_of(*again).uniform);
  CHECK(bias_of(*model->copy()).uniform);
  // What a model without one says is as it was before there was such an option.
  const auto plain = model_of(cases[0].layers, cases[0].terms);
  CHECK_FALSE(bias_of(*plain).uniform);
  CHECK(plain->configuration().find("terms") != nullptr);
  CHECK(std::get<Value::List>(plain->configuration().find("terms")->data).front().find("uniform") == nullptr);
}

TEST_CASE("entries that differ, states of one unit and centering are refused for one bias of all units") {
  const auto model = model_of(cases[0].layers, std::string(cases[0].terms) + ", " + uniform);
  const ParameterBlock& bias = bias_of(*model);
  const std::vector<Real> before(model->parameters().begin(), model->parameters().end());
  CHECK_THROWS_WITH_AS(model->update_parameters([&](std::span<Real> theta) { theta[bias.offset + 3] = Real{0.5}; }),
                       "bias.v: entries 0 and 3 are 0 and 0.5, but all are one parameter (uniform = true of the term "
                       "'bias'); give all units one value, or set uniform = false",
                       NumericalError);
  CHECK(std::ranges::equal(model->parameters(), before));
  CHECK_THROWS_WITH_AS(
      model_of("{ name = 'v', size = 2, units = { type = 'categorical', num_states = 3 } }", uniform),
      doctest::Contains("term 'bias': 'uniform' is true, and all 3 states of a unit of layer 'v' would have one bias, "
                        "which changes nothing. Leave it out: each state of each unit has its own."),
      ConfigError);
  const auto machine = model_of(cases[2].layers, std::string(cases[2].terms) + ", " + uniform);
  CHECK_THROWS_WITH_AS(
      make<GradientEstimator>("type = 'pcd'\ncentering = true")->check(*machine),
      doctest::Contains("centering: the units of layer 'v' have one bias together, and centering moves the bias of "
                        "each. Set estimator.centering = false."),
      CapabilityError);
}

}  // namespace uniform_bias_test
