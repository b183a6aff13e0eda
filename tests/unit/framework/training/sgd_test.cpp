#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/training/sgd.hpp>

namespace sgd_test {

using namespace harmonium;

namespace {

const Executor executor(1);

ParameterLayout one_parameter() {
  ParameterLayout layout;
  layout.add({.name = "x", .rows = 1});
  return layout;
}

Sgd sgd(double rate, double momentum, SgdOptions::Momentum type = SgdOptions::Momentum::classical) {
  SgdOptions options;
  options.rate.learning_rate = rate;
  options.momentum = momentum;
  options.momentum_type = type;
  return Sgd(std::move(options));
}

/// The first steps on ½ θ² from θ = 1. All numbers are dyadic: there is nothing to round.
std::vector<double> path(Optimizer& optimizer, Index steps, double theta = 1.0) {
  const ParameterLayout layout = one_parameter();
  std::vector<double> path;
  for (Index i = 0; i < steps; ++i) {
    Real x = static_cast<Real>(theta), g = x;
    optimizer.step({&x, 1}, {&g, 1}, layout, {i, 100, 10}, executor);
    path.push_back(theta = static_cast<double>(x));
  }
  return path;
}

}  // namespace

TEST_CASE("plain descent halves a quadratic's parameter at rate 1/2") {
  Sgd plain = sgd(0.5, 0.0);
  CHECK(path(plain, 4) == std::vector<double>{0.5, 0.25, 0.125, 0.0625});
}

TEST_CASE("classical momentum follows v = m v - rate g, theta += v") {
  Sgd classical = sgd(0.5, 0.5);
  CHECK(path(classical, 4) == std::vector<double>{0.5, 0.0, -0.25, -0.25});
}

TEST_CASE("Nesterov momentum follows its sequence, which is that of the gradient taken ahead") {
  Sgd nesterov = sgd(0.5, 0.5, SgdOptions::Momentum::nesterov);
  const std::vector<double> steps = path(nesterov, 6);
  CHECK(std::vector<double>(steps.begin(), steps.begin() + 3) == std::vector<double>{0.25, -0.0625, -0.109375});
  // y ← y + v, v ← m v − rate · g(y + m v): what is stored as θ is y + m v.
  double y = 1.0, v = 0.0;
  for (const double theta : steps) {
    v = 0.5 * v - 0.5 * (y + 0.5 * v);
    y += v;
    CHECK(theta == y + 0.5 * v);
  }
}

TEST_CASE("momentum goes on from its state") {
  Sgd whole = sgd(0.5, 0.5), first = sgd(0.5, 0.5), second = sgd(0.5, 0.5);
  const std::vector<double> expected = path(whole, 5);
  const std::vector<double> begun = path(first, 2);
  StateArchive saved;
  first.state(saved);
  StateArchive loading(saved.fields(), {.parameters = 1, .moved = 1});
  second.state(loading);
  CHECK(path(second, 3, begun.back()) == std::vector<double>(expected.begin() + 2, expected.end()));
}

TEST_CASE("without momentum there is nothing to save") {
  Sgd plain = sgd(0.5, 0.0);
  path(plain, 1);
  StateArchive saved;
  plain.state(saved);
  CHECK(saved.fields().empty());
}

}  // namespace sgd_test
