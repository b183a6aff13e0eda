#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/plugins/neural/neural_energy.hpp>

namespace neural_energy_test {

using namespace harmonium;

namespace {

const Executor executor(2);
constexpr LayerId visible{0};

struct Setting {
  Setting() : model(options()), rows(model.layout(), 70) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    model.update_parameters([&](std::span<Real> theta) {
      for (Real& t : theta) t = static_cast<Real>(0.7 * normal(random));
    });
    const MatrixRef x = rows.write(visible);
    for (Index k = 0; k < x.rows * x.cols; ++k) x.data[k] = static_cast<Real>(normal(random));
    for (Index k = 0; k < x.rows * x.cols; ++k) direction.push_back(static_cast<Real>(normal(random)));
    for (Index r = 0; r < x.rows; ++r) weights.push_back(normal(random));
  }
  static NeuralEnergyOptions options() {
    NeuralEnergyOptions o;
    o.num_visible = 3;
    o.hidden = {5, 4};
    o.visible_units = std::make_unique<GaussianUnit>();
    return o;
  }

  std::vector<double> energies() const {
    std::vector<double> e(rows.size());
    model.energy(rows, e);
    return e;
  }
  /// Σ_r weights[r] (v_r · ψ(x_r) + factor · div ψ(x_r)).
  double objective(double factor) const {
    std::vector<Real> score(rows.size() * 3);
    std::vector<double> divergence(rows.size());
    const MatrixRef view{score.data(), rows.size(), 3, 3};
    model.score()->evaluate(model.layout().all(), rows, {&view, 1}, divergence);
    double sum = 0.0;
    for (Index r = 0; r < rows.size(); ++r) {
      double dot = factor * divergence[r];
      for (Index c = 0; c < 3; ++c)
        dot += static_cast<double>(direction[r * 3 + c]) * static_cast<double>(score[r * 3 + c]);
      sum += weights[r] * dot;
    }
    return sum;
  }

  NeuralEnergy model;
  Chains rows;
  std::vector<Real> direction;
  std::vector<double> weights;
};

constexpr bool in_double = std::is_same_v<Real, double>;
// Central differences of fourth order: in double their error is h⁴ of a fifth derivative and rounding over h; in single
// that of θ and of the scores.
constexpr double h = in_double ? 0x1p-8 : 0x1p-5, tolerance = in_double ? 2e-7 : 5e-3;

template <class F>
double slope(const F& f) {
  return (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h);
}

}  // namespace

TEST_CASE("the score of a neural energy is the slope of the energy, and its divergence the trace of the curvature") {
  Setting s;
  std::vector<Real> score(s.rows.size() * 3);
  std::vector<double> divergence(s.rows.size());
  const MatrixRef view{score.data(), s.rows.size(), 3, 3};
  s.model.score()->evaluate(s.model.layout().all(), s.rows, {&view, 1}, divergence);
  std::vector<double> trace(s.rows.size());
  for (Index c = 0; c < 3; ++c) {
    const Chains kept = s.rows;
    const auto moved = [&](double by) {
      const MatrixRef x = s.rows.write(visible);
      for (Index r = 0; r < x.rows; ++r) x(r, c) = kept.read(visible)(r, c) + static_cast<Real>(by);
      const std::vector<double> e = s.energies();
      std::vector<Real> moved_score(s.rows.size() * 3);
      const MatrixRef moved_view{moved_score.data(), s.rows.size(), 3, 3};
      s.model.score()->evaluate(s.model.layout().all(), s.rows, {&moved_view, 1}, {});
      s.rows = kept;
      return std::pair(e, moved_score);
    };
    const auto p1 = moved(h), m1 = moved(-h), p2 = moved(2 * h), m2 = moved(-2 * h);
    for (Index r = 0; r < s.rows.size(); ++r) {
      const auto difference = [&](auto&& of) { return (8.0 * (of(p1) - of(m1)) - (of(p2) - of(m2))) / (12.0 * h); };
      const double down = -difference([&](const auto& at) { return at.first[r]; });
      CHECK(std::abs(static_cast<double>(score[r * 3 + c]) - down) < tolerance * 10.0);
      trace[r] += difference([&](const auto& at) { return static_cast<double>(at.second[r * 3 + c]); });
    }
  }
  for (Index r = 0; r < s.rows.size(); ++r) CHECK(std::abs(divergence[r] - trace[r]) < tolerance * 10.0);
}

TEST_CASE("the gradient of scores and divergences by every parameter is that of differences") {
  Setting s;
  const Index n = s.model.parameters().size();
  for (const double factor : {0.0, 0.8}) {
    std::vector<Real> gradient(n, Real{0});
    const ConstMatrixRef v{s.direction.data(), s.rows.size(), 3, 3};
    s.model.score()->add_gradient(s.model.layout().all(), s.rows, {&v, 1}, s.weights, factor, gradient, executor);
    const std::vector<Real> kept(s.model.parameters().begin(), s.model.parameters().end());
    for (Index i = 0; i < n; ++i) {
      const double expected = slope([&](double by) {
        s.model.update_parameters([&](std::span<Real> theta) { theta[i] = kept[i] + static_cast<Real>(by); });
        const double value = s.objective(factor);
        s.model.update_parameters([&](std::span<Real> theta) { theta[i] = kept[i]; });
        return value;
      });
      CAPTURE(i);
      CHECK(std::abs(static_cast<double>(gradient[i]) - expected) < tolerance * (20.0 + std::abs(expected)));
    }
  }
}

}  // namespace neural_energy_test
