#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/training/adam.hpp>

namespace adam_test {

using namespace harmonium;

namespace {

const Executor executor(1);
constexpr double eps = std::numeric_limits<Real>::epsilon();

ParameterLayout two_parameters() {
  ParameterLayout layout;
  layout.add({.name = "x", .rows = 2});
  return layout;
}

Adam adam(double rate, double beta1, double beta2, double epsilon) {
  AdamOptions options;
  options.rate.learning_rate = rate;
  options.beta1 = beta1;
  options.beta2 = beta2;
  options.epsilon = epsilon;
  return Adam(std::move(options));
}

}  // namespace

TEST_CASE("the first step of Adam is the rate, in the direction of the gradient's sign") {
  for (const double epsilon : {1e-8, 0.25}) {
    Adam optimizer = adam(0.125, 0.9, 0.999, epsilon);
    std::vector<Real> theta{1, 1}, g{4, Real(-0.5)};
    optimizer.step(theta, g, two_parameters(), {}, executor);
    CHECK(std::abs(static_cast<double>(theta[0]) - (1.0 - 0.125 * 4.0 / (4.0 + epsilon))) <= 8 * eps);
    CHECK(std::abs(static_cast<double>(theta[1]) - (1.0 + 0.125 * 0.5 / (0.5 + epsilon))) <= 8 * eps);
  }
}

TEST_CASE("Adam with both decays 0 takes steps of the rate, forever") {
  Adam optimizer = adam(0.25, 0.0, 0.0, 1e-30);
  std::vector<Real> theta{1, -1};
  for (const Real expected : {Real(0.75), Real(0.5), Real(0.25)}) {
    const std::vector<Real> g = theta;
    optimizer.step(theta, g, two_parameters(), {}, executor);
    CHECK(theta == std::vector<Real>{expected, -expected});
  }
}

TEST_CASE("Adam follows algorithm 1 of Kingma and Ba on a quadratic, and goes on from its state") {
  constexpr double rate = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1e-3;
  Adam optimizer = adam(rate, beta1, beta2, epsilon);
  std::vector<Real> theta{1, -3};
  std::vector<double> x{1, -3}, m{0, 0}, v{0, 0};
  const std::vector<double> curvature{1.0, 0.25};
  for (int t = 1; t <= 40; ++t) {
    CAPTURE(t);
    std::vector<Real> gradient;
    for (Index i = 0; i < 2; ++i) {
      const double g = curvature[i] * x[i];
      gradient.push_back(static_cast<Real>(curvature[i] * static_cast<double>(theta[i])));
      m[i] = beta1 * m[i] + (1.0 - beta1) * g;
      v[i] = beta2 * v[i] + (1.0 - beta2) * g * g;
      const double m_hat = m[i] / (1.0 - std::pow(beta1, t)), v_hat = v[i] / (1.0 - std::pow(beta2, t));
      x[i] -= rate * m_hat / (std::sqrt(v_hat) + epsilon);
    }
    optimizer.step(theta, gradient, two_parameters(), {}, executor);
    // A step is of size 0.1 and rounded by a few parts; on a convex function rounding does not grow.
    for (Index i = 0; i < 2; ++i) CHECK(std::abs(static_cast<double>(theta[i]) - x[i]) <= 16 * t * eps);
    if (t == 17) {
      StateArchive saved;
      optimizer.state(saved);
      optimizer = adam(rate, beta1, beta2, epsilon);
      StateArchive loading(saved.fields(), {.parameters = 2, .moved = 2});
      optimizer.state(loading);
    }
  }
}

}  // namespace adam_test
