// E[∂E/∂θ] by elimination, against sums over all states, closed forms and slopes of log Z.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/eliminated_expectation.hpp>
#include <harmonium/framework/inference/elimination_marginals.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/discrete.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace eliminated_expectation_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

std::vector<double> eliminated(const EnergyModel& model, double scale = 1.0) {
  std::vector<Real> gradient(model.parameters().size());
  EliminatedExpectation(model, 22).add(model, scale, gradient, executor);
  return {gradient.begin(), gradient.end()};
}

std::vector<double> enumerated(const EnergyModel& model) {
  ExactPhase phase;
  phase.begin_batch({.rows = 1, .weight = 1.0});
  std::vector<Real> gradient(model.parameters().size());
  const Chains none(model.layout(), 0);
  Posterior posterior;
  const PhaseReport report =
      phase.accumulate(model, {none, {}, posterior}, Phase::negative, 1.0, gradient, {executor, {1, 1}});
  CHECK(report.method == "exact, by enumeration");
  return {gradient.begin(), gradient.end()};
}

void check_alike(const std::vector<double>& one, const std::vector<double>& other) {
  REQUIRE(one.size() == other.size());
  for (Index t = 0; t < one.size(); ++t) {
    CAPTURE(t);
    CHECK(std::abs(one[t] - other[t]) <= (in_double ? 1e-12 : 1e-5));
  }
}

std::unique_ptr<EnergyModel> lattice(const std::string& shape, const std::string& more, Index size) {
  Value effective;
  return builtin_registries().make<EnergyModel>(
      parse_toml(fmt::format("type = 'layered'\nlayers = [{{ name = 's', size = {}, units = 'spin' }}]\n"
                             "terms = [{{ type = 'lattice', layer = 's', shape = {}, {} }}]\n",
                             size, shape, more),
                 "test"),
      effective);
}

}  // namespace

TEST_CASE("the mean gradient by elimination is that over all states") {
  for (const Example& m : example_models()) {
    if (!discrete(*m.model)) continue;
    CAPTURE(m.name);
    check_alike(eliminated(*m.model), enumerated(*m.model));
  }
}

TEST_CASE("couplings that are 0 have a gradient") {
  const auto model = lattice("[3, 3]", "open_axes = [0, 1]", 9);
  model->update_parameters([](std::span<Real> theta) {
    for (Index t = 0; t < theta.size(); ++t) theta[t] = t < 9 ? Real{0.5} : Real{0};
  });
  const std::vector<double> found = eliminated(*model);
  CHECK(found.back() == doctest::Approx(-std::tanh(0.5) * std::tanh(0.5)).epsilon(1e-6));
  check_alike(found, enumerated(*model));
}

TEST_CASE("one coupling for a lattice has the sum over its bonds, of states of several numbers too") {
  const auto uniform = lattice("[3, 4]", "uniform = true", 12);
  uniform->update_parameters([](std::span<Real> theta) {
    for (Index t = 0; t < theta.size(); ++t) theta[t] = static_cast<Real>(0.1 * std::sin(1.0 + static_cast<double>(t)));
  });
  check_alike(eliminated(*uniform), enumerated(*uniform));
  Value effective;
  const auto potts = builtin_registries().make<EnergyModel>(
      parse_toml("type = 'layered'\nlayers = [{ name = 's', size = 9, units = { type = 'categorical', num_states = 3 } "
                 "}]\nterms = [{ type = 'lattice', layer = 's', shape = [3, 3] }]\n",
                 "test"),
      effective);
  potts->update_parameters([](std::span<Real> theta) {
    for (Index t = 0; t < theta.size(); ++t) theta[t] = static_cast<Real>(0.7 * std::sin(3.0 + static_cast<double>(t)));
  });
  check_alike(eliminated(*potts), enumerated(*potts));
}

TEST_CASE("a ring of 60 spins has the moments of its transfer matrix") {
  constexpr Index n = 60;
  constexpr double j = 0.8;
  const auto model = lattice("[60]", "uniform = true", n);
  model->update_parameters([](std::span<Real> theta) {
    std::ranges::fill(theta, Real{0});
    theta.back() = static_cast<Real>(j);
  });
  const double t = std::tanh(j), around = std::pow(t, static_cast<double>(n));
  const double bond = (t + around / t) / (1.0 + around);
  const std::vector<double> found = eliminated(*model, -2.0);
  for (Index i = 0; i < n; ++i) CHECK(std::abs(found[i]) < (in_double ? 1e-12 : 1e-4));
  CHECK(std::abs(found.back() / n - 2.0 * bond) < (in_double ? 1e-12 : 1e-5));
}

TEST_CASE("the gradient of a lattice that cannot be enumerated is the slope of its log Z" * doctest::skip(!in_double)) {
  const auto model = lattice("[5, 12]", "open_axes = [1]", 60);
  model->update_parameters([](std::span<Real> theta) {
    for (Index t = 0; t < theta.size(); ++t) theta[t] = static_cast<Real>(0.6 * std::sin(7.0 * static_cast<double>(t)));
  });
  const std::vector<double> found = eliminated(*model);
  const auto log_z_with = [&](Index t, double by) {
    model->update_parameters([&](std::span<Real> theta) { theta[t] += static_cast<Real>(by); });
    const double log_z = Elimination(*model, 22).log_sum(1.0, executor);
    model->update_parameters([&](std::span<Real> theta) { theta[t] -= static_cast<Real>(by); });
    return log_z;
  };
  for (Index t = 0; t < found.size(); t += 7) {
    CAPTURE(t);
    constexpr double h = 1e-4;  // an error of h², and of the rounding of log Z over h
    CHECK(std::abs(found[t] + (log_z_with(t, h) - log_z_with(t, -h)) / (2.0 * h)) < 1e-7);
  }
}

TEST_CASE("an exact phase eliminates where states are too many, and says what its limit has to be") {
  const auto model = lattice("[30]", "uniform = true", 30);
  ExactPhase phase;
  CHECK_NOTHROW(phase.check(*model, Phase::negative));
  phase.begin(*model, Phase::negative, {});
  phase.begin_batch({.rows = 4, .weight = 0.5});
  std::vector<Real> gradient(model->parameters().size());
  const Chains none(model->layout(), 0);
  Posterior posterior;
  const PhaseReport report =
      phase.accumulate(*model, {none, {}, posterior}, Phase::negative, 3.0, gradient, {executor, {1, 1}});
  CHECK(report.exact);
  CHECK(report.method == "exact, by summing units out one by one");
  check_alike({gradient.begin(), gradient.end()}, eliminated(*model, 1.5));
  // A ring: tables of 8 entries, but for the last three units, of 28 * 8 + 4 + 2.
  const std::string refused =
      message_of<CapabilityError>([&] { ExactPhase({.max_bits = 5}).check(*model, Phase::negative); });
  CAPTURE(refused);
  CHECK(refused.find(fmt::format("Summing units out one by one takes tables of 2^{:.3g} entries in all, if max_bits is "
                                 "that. Try 'chains'",
                                 std::log2(28 * 8 + 4 + 2))) != std::string::npos);
}

}  // namespace eliminated_expectation_test
