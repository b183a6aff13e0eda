// Draws of coupled Gaussian units by Gibbs sampling: one sweep from any start gives the layer its exact law given the
// others, so that means and covariances over independent chains are those of the definition.
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace joint_gaussian_draws_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::unique_ptr<LayeredModel> coupled_layer() {
  auto model = make_semi_restricted(
      {.num_visible = 3, .num_hidden = 2, .visible_units = std::make_unique<GaussianUnit>(), .learn_precision = true});
  const ParameterLayout& p = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    for (Index k = 0; k < p.blocks().size(); ++k) {
      const MatrixRef t = p.view(k, theta.data());
      for (Index i = 0; i < t.rows; ++i)
        for (Index j = 0; j < t.cols; ++j)
          t(i, j) = p[k].symmetry != Symmetry::none && i == j
                        ? Real{0}
                        : static_cast<Real>(0.4 * std::cos(3.0 + static_cast<double>(k + 2 * (i + j) + i * j)));
    }
  });
  return model;
}

struct Moments2 {
  std::vector<double> mean, covariance;
};
Moments2 moments_of(ConstMatrixRef x) {
  const auto n = static_cast<double>(x.rows);
  Moments2 m{std::vector<double>(x.cols, 0.0), std::vector<double>(x.cols * x.cols, 0.0)};
  for (Index r = 0; r < x.rows; ++r)
    for (Index c = 0; c < x.cols; ++c) m.mean[c] += static_cast<double>(x(r, c)) / n;
  for (Index r = 0; r < x.rows; ++r)
    for (Index i = 0; i < x.cols; ++i)
      for (Index j = 0; j < x.cols; ++j)
        m.covariance[i * x.cols + j] +=
            (static_cast<double>(x(r, i)) - m.mean[i]) * (static_cast<double>(x(r, j)) - m.mean[j]) / n;
  return m;
}

/// The exact mean and covariance of the columns `free` of the first layer given the rest of `x`, at β: by the inverse of
/// their precision, from cofactors.
Moments2 exact(const Oracle& oracle, const Oracle::State& x, const std::vector<Index>& free, double beta) {
  const Index n = free.size();
  std::vector<double> p(n * n), f(n);
  for (Index i = 0; i < n; ++i) {
    f[i] = oracle.bias[free[i]];
    for (Index k = 0; k < oracle.columns(); ++k)
      if (std::find(free.begin(), free.end(), k) == free.end()) f[i] += oracle.coupling(free[i], k) * x[k];
    for (Index j = 0; j < n; ++j)
      p[i * n + j] = (i == j ? oracle.gamma[free[i]] : 0.0) - oracle.coupling(free[i], free[j]);
  }
  const auto det = [](const std::vector<double>& m, Index k) {
    if (k == 1) return m[0];
    if (k == 2) return m[0] * m[3] - m[1] * m[2];
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
  };
  Moments2 result{std::vector<double>(n, 0.0), std::vector<double>(n * n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      std::vector<double> minor;
      for (Index a = 0; a < n; ++a)
        for (Index b = 0; b < n; ++b)
          if (a != j && b != i) minor.push_back(p[a * n + b]);
      const double inverse = ((i + j) % 2 ? -1.0 : 1.0) * (minor.empty() ? 1.0 : det(minor, n - 1)) / det(p, n);
      result.mean[i] += inverse * f[j];
      result.covariance[i * n + j] = inverse / beta;
    }
  }
  return result;
}

/// Of n independent draws: a mean errs by √(C_ii/n), a covariance by √((C_ii C_jj + C_ij²)/n); 5 deviations for about 30
/// figures have a false alarm in 2e-5.
void check_moments(const Moments2& drawn, const Moments2& law, double rows) {
  const Index n = law.mean.size();
  for (Index i = 0; i < n; ++i) {
    CAPTURE(i);
    CHECK(std::abs(drawn.mean[i] - law.mean[i]) <= 5.0 * std::sqrt(law.covariance[i * n + i] / rows));
    for (Index j = 0; j < n; ++j) {
      const double c = law.covariance[i * n + j];
      const double error = std::sqrt((law.covariance[i * n + i] * law.covariance[j * n + j] + c * c) / rows);
      CHECK(std::abs(drawn.covariance[i * n + j] - c) <= 5.0 * error);
    }
  }
}

}  // namespace

TEST_CASE("coupled Gaussian units are drawn from their joint law in one sweep, at any temperature") {
  const auto model = coupled_layer();
  const Oracle oracle(*model);
  const Layout& layout = model->layout();
  const LayerId visible = layout.find("visible"), hidden = layout.find("hidden");
  constexpr Index rows = 40'000;
  const Executor executor(2);
  for (const double beta : {1.0, 0.5}) {
    CAPTURE(beta);
    Chains chains(layout, rows);
    for (Index r = 0; r < rows; ++r) {
      chains.write(hidden)(r, 0) = 1;
      for (Index c = 0; c < 3; ++c) chains.write(visible)(r, c) = 50;  // far from the law
    }
    HeldMask held;
    held.hold(hidden);
    Target target{*model};
    target.beta = beta;
    target.held = &held;
    Gibbs gibbs;
    gibbs.advance(target, chains, 1, {executor, RandomSource{3, 0}});
    check_moments(moments_of(chains.read(visible)), exact(oracle, oracle.state(chains, 0), {0, 1, 2}, beta), rows);
  }
}

TEST_CASE("coupled Gaussian units of which some are held keep the law of the others") {
  const auto model = coupled_layer();
  const Oracle oracle(*model);
  const Layout& layout = model->layout();
  const LayerId visible = layout.find("visible"), hidden = layout.find("hidden");
  constexpr Index rows = 40'000;
  const Executor executor(2);
  for (const double beta : {1.0, 0.5}) {
    CAPTURE(beta);
    Chains chains(layout, rows);
    std::vector<std::uint8_t> units(rows * 3, 0);
    for (Index r = 0; r < rows; ++r) {
      chains.write(visible)(r, 1) = Real{0.75};
      units[r * 3 + 1] = 1;
    }
    HeldMask held;
    held.hold(hidden).hold_units(visible, 3, units);
    Target target{*model};
    target.held = &held;
    target.beta = beta;
    Gibbs gibbs;
    gibbs.advance(target, chains, 60, {executor, RandomSource{4, 0}});  // in order: the start is forgotten by then
    const ConstMatrixRef x = chains.read(visible);
    std::vector<Real> free(rows * 2);
    for (Index r = 0; r < rows; ++r) {
      REQUIRE(x(r, 1) == Real{0.75});
      free[2 * r] = x(r, 0);
      free[2 * r + 1] = x(r, 2);
    }
    check_moments(moments_of({free.data(), rows, 2, 2}), exact(oracle, oracle.state(chains, 0), {0, 2}, beta), rows);
  }
}

}  // namespace joint_gaussian_draws_test
