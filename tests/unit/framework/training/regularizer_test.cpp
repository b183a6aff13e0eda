#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/training/regularizer.hpp>

namespace regularizer_test {

using namespace harmonium;

namespace {

const Executor executor(2);

ParameterLayout example() {
  ParameterLayout layout;
  layout.add({.name = "bias.v", .rows = 2, .role = ParameterRole::bias});
  layout.add({.name = "weight.v.h", .rows = 2, .cols = 1, .role = ParameterRole::coupling});
  layout.add({.name = "weight.v.v",
              .rows = 2,
              .cols = 2,
              .symmetry = Symmetry::symmetric_zero_diagonal,
              .role = ParameterRole::coupling});
  layout.add({.name = "log_precision.v", .rows = 1, .role = ParameterRole::log_precision});
  layout.add({.name = "weight.fixed", .rows = 1, .role = ParameterRole::coupling, .learned = false});
  return layout;
}

const std::vector<Real> theta{1, -2, 3, -4, 0, 5, 5, 0, 6, 7};

std::vector<Real> slope(const Regularizer& regularizer, std::vector<Real> gradient = std::vector<Real>(10, Real{0})) {
  regularizer.add_gradient(theta, example(), gradient, executor);
  return gradient;
}

}  // namespace

TEST_CASE("L2 pulls couplings to 0 by their size, and biases where asked") {
  CHECK(slope(L2({.strength = 0.5})) == std::vector<Real>{0, 0, 1.5, -2, 0, 2.5, 2.5, 0, 0, 0});
  CHECK(slope(L2({.strength = 0.5, .biases = true})) == std::vector<Real>{0.5, -1, 1.5, -2, 0, 2.5, 2.5, 0, 0, 0});
  CHECK(slope(L2({.strength = 0.5}), std::vector<Real>(10, Real{1}))[3] == -1);
}

TEST_CASE("L1 pulls couplings to 0 by their sign, and leaves those at 0") {
  CHECK(slope(L1({.strength = 0.5})) == std::vector<Real>{0, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, 0, 0});
  CHECK(slope(L1({.strength = 0.5, .biases = true})) == std::vector<Real>{0.5, -0.5, 0.5, -0.5, 0, 0.5, 0.5, 0, 0, 0});
}

TEST_CASE("the slope of a symmetric pair is that of a penalty which counts the pair once") {
  // Both entries move together: d/dt ½ s (5 + t)² at t = 0.
  const ParameterLayout layout = example();
  const auto penalty = [&](double t) {
    std::vector<double> moved(theta.begin(), theta.end());
    moved[5] += t;
    moved[6] += t;
    double sum = 0.0;
    sum_over_parameters(layout, moved.data(), [&](Index i, double v) {
      if (i >= 2 && i < 8) sum += 0.5 * 0.5 * v * v;
      return 0.0;
    });
    return sum;
  };
  CHECK((penalty(0.5) - penalty(-0.5)) == 2.5);
  CHECK(static_cast<double>(slope(L2({.strength = 0.5}))[5]) == penalty(0.5) - penalty(-0.5));
}

}  // namespace regularizer_test
