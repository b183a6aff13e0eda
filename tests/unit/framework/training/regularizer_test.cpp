#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/training/adam.hpp>
#include <harmonium/framework/training/regularizer.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace regularizer_test {

using namespace harmonium;
using namespace harmonium::testing;

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

TEST_CASE("L1 takes from couplings what their step sizes say, and what is less than that becomes 0") {
  const auto shrunk = [](const DecayOptions& options) {
    std::vector<Real> moved = theta;
    const std::vector<Real> step_sizes{1, 1, 1, 10, 1, 2, 2, 1, 1, 1};
    L1(options).shrink(moved, example(), step_sizes, executor);
    return moved;
  };
  CHECK(slope(L1({.strength = 0.5})) == std::vector<Real>(10, Real{0}));
  CHECK(L1({}).shrinks());
  CHECK_FALSE(L2({}).shrinks());
  CHECK(shrunk({.strength = 0.5}) == std::vector<Real>{1, -2, 2.5, 0, 0, 4, 4, 0, 6, 7});
  CHECK(shrunk({.strength = 0.5, .biases = true}) == std::vector<Real>{0.5, -1.5, 2.5, 0, 0, 4, 4, 0, 6, 7});
  CHECK_FALSE(std::signbit(shrunk({.strength = 0.5})[3]));  // of -4
}

namespace {

/// Where an optimizer and the penalty lead from 0.7, of losses ½ a (x − b)² side by side.
std::vector<Real> lasso(Optimizer& optimizer, const std::vector<double>& a, const std::vector<double>& b,
                        double strength, std::uint64_t updates) {
  ParameterLayout layout;
  layout.add({.name = "weight.v.h", .rows = a.size(), .role = ParameterRole::coupling});
  std::vector<Real> x(a.size(), static_cast<Real>(0.7)), gradient(a.size()), step_sizes(a.size());
  for (std::uint64_t update = 0; update < updates; ++update) {
    const Progress progress{update, updates, 1};
    for (std::size_t k = 0; k < a.size(); ++k)
      gradient[k] = static_cast<Real>(a[k] * (static_cast<double>(x[k]) - b[k]));
    optimizer.step(x, gradient, layout, progress, executor);
    optimizer.step_sizes(step_sizes, layout, progress, executor);
    L1({.strength = strength}).shrink(x, layout, step_sizes, executor);
  }
  return x;
}

RateOptions falling_rate() {
  RateOptions rate{.learning_rate = 0.05};
  rate.schedule = std::make_unique<LinearSchedule>(LinearSchedule::Options{.final = 0.0});
  return rate;
}

}  // namespace

TEST_CASE("with every optimizer L1 leads to the lasso's solution, whose zeros are exact") {
  // sign(b) max(|b| − strength / a, 0). Velocities outlast a rate that falls: were the threshold that of the present rate alone,
  // the last updates would carry the two zeros away.
  const std::vector<double> a{1, 2, 0.5, 4}, b{1, -0.1, 0.6, -2};
  std::vector<std::unique_ptr<Optimizer>> optimizers;
  for (const double momentum : {0.0, 0.5, 0.9})
    optimizers.push_back(std::make_unique<Sgd>(Sgd::Options{.rate = falling_rate(), .momentum = momentum}));
  optimizers.push_back(std::make_unique<Sgd>(
      Sgd::Options{.rate = falling_rate(), .momentum = 0.9, .momentum_type = Sgd::Options::Momentum::nesterov}));
  optimizers.push_back(std::make_unique<Adam>(Adam::Options{.rate = falling_rate()}));
  const double tolerance = in_double ? 1e-9 : 1e-5;
  for (const auto& optimizer : optimizers) {
    const std::vector<Real> x = lasso(*optimizer, a, b, 0.4, 3000);
    CHECK(std::abs(static_cast<double>(x[0]) - 0.6) < tolerance);
    CHECK(x[1] == 0);
    CHECK(x[2] == 0);
    CHECK(std::abs(static_cast<double>(x[3]) + 1.9) < tolerance);
  }
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
