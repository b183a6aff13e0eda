// Mean field against sums over states: its bound, where it is reached, that it rises, and that the gradient is the
// bound's own derivative, which a wrong fixed point, a wrong moment or a wrong entropy all spoil.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/mean_field.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/missing.hpp>

namespace mean_field_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};
const std::vector<double> row_weights{0.5, 0.125, 0.0, 1.0, 0.25};

std::vector<Oracle::State> data_rows(const Oracle& oracle) {
  const auto all = oracle.states(oracle.layout().observed(), Oracle::State(oracle.columns(), 7.0));
  std::vector<Oracle::State> rows;
  for (Index i = 0; i < 5; ++i) rows.push_back(all[(i * i + 3 * i + 1) % all.size()]);
  return rows;
}

/// Every third unit or so of the observed layers not seen, another one in each row.
std::vector<std::vector<std::uint8_t>> holes(const Layout& layout, Index rows) {
  std::vector<std::vector<std::uint8_t>> seen(rows);
  for (Index r = 0; r < rows; ++r)
    for (const Layer& layer : layout.layers())
      for (Index u = 0; u < layer.size; ++u)
        seen[r].push_back(layer.role == Role::observed && (u + r) % 3 != 0 ? 1 : 0);
  return seen;
}

struct Result {
  std::vector<double> gradient, bounds;
  PhaseReport report;
};

Result run(const PartlySeen& data, const MeanFieldOptions& options) {
  MeanField phase(options);
  phase.check(data.model, Phase::positive);
  const Oracle oracle(data.model);
  const Chains rows = oracle.chains(data.rows);
  Posterior posterior;
  HeldMask mask;
  if (!data.seen.empty()) mask = data.mask();
  std::vector<Real> gradient(data.model.parameters().size(), Real{0});
  Result result;
  result.report = phase.accumulate(data.model, {rows, data.weights, posterior, data.seen.empty() ? nullptr : &mask},
                                   Phase::positive, 1.0, gradient, execution);
  result.gradient.assign(gradient.begin(), gradient.end());
  result.bounds = phase.bounds();
  return result;
}

/// What rounding of Real in the bound's terms may add to it.
double slack(const Oracle& oracle) { return rounding(8.0, oracle.scale()); }

template <class Body>
void for_each_example(const Body& body) {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    PartlySeen data{*m.model, data_rows(oracle), row_weights, {}};
    body(data, oracle);
    data.seen = holes(m.model->layout(), data.rows.size());
    body(data, oracle);
  }
}

}  // namespace

TEST_CASE("the mean field's bound lies below the log sum, and is reached where the units are independent") {
  int reached = 0, below = 0;
  for_each_example([&](const PartlySeen& data, const Oracle& oracle) {
    CAPTURE(data.seen.empty());
    const Result result = run(data, {.tolerance = in_double ? 1e-10 : 1e-5, .max_iterations = 1000});
    const bool factorizes = data.seen.empty() && posterior_factorizes(data.model);
    double mean = 0.0, total = 0.0;
    for (Index r = 0; r < data.rows.size(); ++r) {
      CAPTURE(r);
      const double exact = data.log_sum(r);
      CHECK(result.bounds[r] <= exact + slack(oracle));
      if (factorizes) CHECK(result.bounds[r] >= exact - slack(oracle));
      else if (result.bounds[r] < exact - 1e-4) ++below;
      mean += data.weights[r] * result.bounds[r];
      total += data.weights[r];
    }
    REQUIRE(result.report.bound.has_value());
    CHECK(*result.report.bound == doctest::Approx(mean / total));
    CHECK_FALSE(result.report.exact);
    if (!factorizes) return;
    ++reached;
    CHECK(result.report.iterations <= 2);
    PosteriorMean exact;
    const Chains rows = oracle.chains(data.rows);
    Posterior posterior;
    std::vector<Real> gradient(result.gradient.size(), Real{0});
    exact.accumulate(data.model, {rows, data.weights, posterior}, Phase::positive, 1.0, gradient, execution);
    for (Index i = 0; i < gradient.size(); ++i)
      CHECK(std::abs(result.gradient[i] - static_cast<double>(gradient[i])) <= rounding(64.0));
  });
  CHECK(reached > 3);
  CHECK(below > 10);  // it is a bound and no more
}

TEST_CASE("every iteration of the undamped mean field raises the bound") {
  int raised = 0;
  for_each_example([&](const PartlySeen& data, const Oracle& oracle) {
    std::vector<double> before = run(data, {.tolerance = 0.0, .max_iterations = 1}).bounds;
    for (Index iterations = 2; iterations <= 8; ++iterations) {
      const std::vector<double> now = run(data, {.tolerance = 0.0, .max_iterations = iterations}).bounds;
      for (Index r = 0; r < now.size(); ++r) {
        CHECK(now[r] >= before[r] - slack(oracle));
        raised += now[r] > before[r] + 1e-3 ? 1 : 0;
      }
      before = now;
    }
  });
  CHECK(raised > 10);
}

TEST_CASE("units that are all set at once need not reach the bound") {
  // Two hidden units that exclude each other: set together they are both on, then both off, without end.
  LayerGraph graph{{observed("v", 1), latent("h", 2)}, {{0, 1}, {1, 1}}, {}};
  const auto model = std::make_unique<LayeredModel>(std::move(graph));
  const ParameterLayout& layout = model->parameter_layout();
  constexpr double on = 6.0, against = -10.0;
  model->update_parameters([&](std::span<Real> theta) {
    std::fill_n(&theta[layout[layout.find("bias.h")].offset], 2, static_cast<Real>(on));
    const MatrixRef w = layout.view(layout.find("weight.h.h"), theta.data());
    w(0, 1) = w(1, 0) = static_cast<Real>(against);
  });
  const PartlySeen data{*model, {{1.0, 0.0, 0.0}}, {1.0}, {}};
  const double exact = data.log_sum(0), found = run(data, {}).bounds[0];
  CHECK(found <= exact + 1e-6);
  CHECK(found > exact - 0.8);  // one of two modes: log 2 below, and a little

  const auto bound_of = [&](double a, double b) {
    const auto entropy = [](double m) { return -m * std::log(m) - (1.0 - m) * std::log(1.0 - m); };
    return on * (a + b) + against * a * b + entropy(a) + entropy(b);
  };
  double m = 0.5, worst = INFINITY, best = -INFINITY;
  for (int k = 0; k < 100; ++k) {
    m = 1.0 / (1.0 + std::exp(-(on + against * m)));
    if (k < 90) continue;
    worst = std::min(worst, bound_of(m, m));
    best = std::max(best, bound_of(m, m));
  }
  CHECK(worst < found - 1.0);
  CHECK(best < found - 1.0);
}

TEST_CASE("damping changes the way and not the end") {
  for_each_example([&](const PartlySeen& data, const Oracle&) {
    const double tolerance = in_double ? 1e-12 : 1e-6;
    const Result plain = run(data, {.tolerance = tolerance, .max_iterations = 5000}),
                 damped = run(data, {.damping = 0.3, .tolerance = tolerance, .max_iterations = 5000});
    for (Index r = 0; r < plain.bounds.size(); ++r)
      CHECK(damped.bounds[r] == doctest::Approx(plain.bounds[r]).epsilon(in_double ? 1e-9 : 1e-3));
  });
}

TEST_CASE("the mean field's gradient is the derivative of its bound") {
  // At a fixed point the bound is stationary in q, so that its whole derivative is −E_q[∂E/∂θ].
  if constexpr (!in_double) return;
  for_each_example([&](const PartlySeen& data, const Oracle& oracle) {
    auto& model = const_cast<EnergyModel&>(data.model);
    const MeanFieldOptions converged{.tolerance = 1e-13, .max_iterations = 5000};
    const std::vector<double> gradient = run(data, converged).gradient;
    const double h = 0x1p-9;
    for (const std::vector<Index>& entries : free_parameters(model)) {
      const double slope = derivative(model, entries, h, [&] {
        const std::vector<double> bounds = run(data, converged).bounds;
        double sum = 0.0;
        for (Index r = 0; r < bounds.size(); ++r) sum += data.weights[r] * bounds[r];
        return std::vector<double>{sum};
      })[0];
      for (const Index i : entries) {
        CAPTURE(i);
        bool learned = true;
        for (const ParameterBlock& b : model.parameter_layout().blocks())
          if (i >= b.offset && i < b.offset + b.size()) learned = b.learned;
        // Rounding of the bound over h, what the iteration leaves of it, and h⁴/30 of a fifth derivative.
        CHECK(std::abs(gradient[i] - (learned ? -slope : 0.0)) <=
              rounding(64.0, oracle.scale()) / h + 2000.0 * std::pow(h, 4));
      }
    }
  });
}

TEST_CASE("of coupled Gaussian units the mean field has the exact means, and the variances of units alone") {
  if constexpr (!in_double) return;
  LayerGraph graph{{observed("v", 2), latent("h", 2, std::make_shared<GaussianUnit>())}, {{0, 1}, {1, 1}}, {1}};
  const auto model = random_model(std::move(graph), 3, 0.5);
  const Oracle oracle(*model);
  const PartlySeen data{*model, {{1.0, 1.0, 0.0, 0.0}}, {1.0}, {}};
  const Result result = run(data, {.tolerance = 1e-14, .max_iterations = 10'000});
  // p(h | v) ∝ exp(f·h − ½ hᵀA h), A = Γ − L.
  const double f[2] = {oracle.bias[2] + oracle.coupling(0, 2) + oracle.coupling(1, 2),
                       oracle.bias[3] + oracle.coupling(0, 3) + oracle.coupling(1, 3)};
  const double g0 = oracle.gamma[2], g1 = oracle.gamma[3], l = oracle.coupling(2, 3), det = g0 * g1 - l * l;
  const double m[2] = {(g1 * f[0] + l * f[1]) / det, (l * f[0] + g0 * f[1]) / det};
  const ParameterLayout& layout = model->parameter_layout();
  const Index bias = layout[layout.find("bias.h")].offset, precision = layout[layout.find("log_precision.h")].offset;
  for (Index i = 0; i < 2; ++i) {
    const double gamma = i == 0 ? g0 : g1;
    CHECK(result.gradient[bias + i] == doctest::Approx(-m[i]).epsilon(1e-12));
    CHECK(result.gradient[precision + i] == doctest::Approx(0.5 * gamma * (m[i] * m[i] + 1.0 / gamma)).epsilon(1e-12));
  }
  const double visible = oracle.bias[0] + oracle.bias[1], quadratic = 0.5 * (f[0] * m[0] + f[1] * m[1]);
  const double two_pi = 2.0 * std::acos(-1.0);
  CHECK(result.bounds[0] == doctest::Approx(visible + quadratic + 0.5 * std::log(two_pi / g0 * two_pi / g1)));
  CHECK(result.bounds[0] < visible + quadratic + 0.5 * std::log(two_pi * two_pi / det));
}

}  // namespace mean_field_test
