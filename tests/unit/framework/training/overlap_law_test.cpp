#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/training/low_rank_fit.hpp>
#include <harmonium/framework/training/overlap_law.hpp>

namespace overlap_law_test {

using namespace harmonium;

namespace {

/// Units with random fields and orthonormal random directions; the first `distinct` units and their copies.
struct Setting {
  IndependentUnits units;
  Matrix<double> directions;
  std::vector<double> means;

  Setting(Index distinct, Index copies, Index d, double low, std::uint32_t seed) {
    std::mt19937 words(seed);
    std::normal_distribution<double> normal;
    const Index n = distinct * copies;
    units = {std::vector<double>(n), low, 1.0};
    directions = zeros<double>(n, d);
    for (Index i = 0; i < distinct; ++i) {
      units.field[i] = normal(words);
      for (Index a = 0; a < d; ++a) directions(i, a) = normal(words);
    }
    for (Index i = distinct; i < n; ++i) {
      units.field[i] = units.field[i % distinct];
      for (Index a = 0; a < d; ++a) directions(i, a) = directions(i % distinct, a);
    }
    for (Index a = 0; a < d; ++a) {  // Gram and Schmidt
      for (Index b = 0; b < a; ++b) add(a, b, -dot(a, b));
      const double norm = std::sqrt(dot(a, a));
      for (Index i = 0; i < n; ++i) directions(i, a) /= norm;
    }
    for (const double f : units.field) means.push_back(low + (1.0 - low) * logistic((1.0 - low) * f));
  }
  double dot(Index a, Index b) const {
    double sum = 0.0;
    for (Index i = 0; i < directions.shape(0); ++i) sum += directions(i, a) * directions(i, b);
    return sum;
  }
  void add(Index a, Index b, double factor) {
    for (Index i = 0; i < directions.shape(0); ++i) directions(i, a) += factor * directions(i, b);
  }
};

/// log E0[exp(Σ_j log(1 + exp(c_j + a_j·y)))] as the sum over the states of the hidden units, given which units are independent.
double log_z_by_hidden_states(const Setting& s, const Matrix<double>& planes) {
  const Index hidden = planes.shape(0), d = s.directions.shape(1);
  std::vector<double> logs;
  for (Index state = 0; state < Index{1} << hidden; ++state) {
    double sum = 0.0;
    std::vector<double> lambda(d, 0.0);
    for (Index j = 0; j < hidden; ++j) {
      if ((state >> j & 1) == 0) continue;
      sum += planes(j, d);
      for (Index a = 0; a < d; ++a) lambda[a] += planes(j, a);
    }
    for (Index i = 0; i < s.means.size(); ++i) {
      double tilt = 0.0;
      for (Index a = 0; a < d; ++a) tilt += lambda[a] * s.directions(i, a);
      const double ends[] = {(s.units.field[i] + tilt) * s.units.low, s.units.field[i] + tilt};
      const double free[] = {s.units.field[i] * s.units.low, s.units.field[i]};
      sum += logsumexp(ends) - logsumexp(free) - tilt * s.means[i];
    }
    logs.push_back(sum);
  }
  return logsumexp(logs);
}

Matrix<double> random_planes(Index hidden, Index d, double width, std::uint32_t seed) {
  std::mt19937 words(seed);
  std::normal_distribution<double> normal;
  Matrix<double> planes = zeros<double>(hidden, d + 1);
  for (double& p : planes) p = 1.5 * normal(words);
  xt::view(planes, xt::all(), xt::range(Index{0}, d)) /= width;  // spins move twice as far as bits
  return planes;
}

/// log Z over the points of the law: less the likelihood of one row at y = 0, where all is known.
double log_z_by_law(const Setting& s, const Matrix<double>& planes, const Executor& executor) {
  const Index d = s.directions.shape(1), hidden = planes.shape(0);
  const LowRankLikelihood likelihood(overlap_law(s.units, s.directions, executor), {zeros<double>(1, d), {1.0}}, hidden,
                                     executor);
  std::vector<double> parameters(planes.begin(), planes.end());
  parameters.resize(likelihood.num_parameters(), 0.0);
  double at_zero = 0.0;
  for (Index j = 0; j < hidden; ++j) {
    at_zero += log1pexp(planes(j, d));
    for (Index a = 0; a < d; ++a) at_zero -= 1e-4 * planes(j, a) * planes(j, a);  // the decay
  }
  return at_zero - likelihood(parameters, {});
}

double error_of(Index distinct, Index copies, Index d, double low, std::uint32_t seed) {
  const Executor executor(2);
  const Setting setting(distinct, copies, d, low, seed);
  const Matrix<double> planes = random_planes(6, d, 1.0 - low, seed + 100);
  return std::abs(log_z_by_law(setting, planes, executor) - log_z_by_hidden_states(setting, planes));
}

}  // namespace

TEST_CASE("log Z along one to three directions is that of the sum over hidden states") {
  for (const double low : {0.0, -1.0})
    for (Index d = 1; d <= most_overlaps; ++d) {
      CAPTURE(low);
      CAPTURE(d);
      double worst = 0.0;
      for (std::uint32_t seed = 1; seed <= (d < 3 ? 8u : 2u); ++seed)
        worst = std::max(worst, error_of(40, 1, d, low, seed));
      MESSAGE("largest error at 40 units: " << worst << " nats");
      CHECK(worst < 1e-2);
    }
}

TEST_CASE(
    "with four times the units the error falls as that of a saddle point of second order, 16-fold, and not of first, "
    "4-fold") {
  double few = 0.0, many = 0.0;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    few += error_of(12, 1, 2, 0.0, seed);
    many += error_of(12, 4, 2, 0.0, seed);
  }
  MESSAGE("mean error: " << few / 8 << " of 12 units, " << many / 8 << " of 48");
  CHECK(many < few / 8.0);
}

TEST_CASE("slopes of the likelihood are its differences, and all has the same bits for any number of threads") {
  const Setting setting(30, 1, 2, 0.0, 5);
  const Executor one(1), three(3);
  const OverlapLaw law = overlap_law(setting.units, setting.directions, one);
  CHECK(overlap_law(setting.units, setting.directions, three).log_mass == law.log_mass);
  OverlapRows rows{zeros<double>(1100, 2), std::vector<double>(1100)};
  std::mt19937 words(9);
  std::normal_distribution<double> normal;
  double total = 0.0;
  for (double& y : rows.at) y = normal(words);
  for (double& w : rows.weights) total += w = std::abs(normal(words));
  for (double& w : rows.weights) w /= total;
  const LowRankLikelihood likelihood(law, rows, 4, one);
  std::vector<double> x(likelihood.num_parameters()), slopes(x.size()), again(x.size());
  for (double& v : x) v = normal(words);
  const double value = likelihood(x, slopes);
  CHECK(LowRankLikelihood(law, rows, 4, three)(x, again) == value);
  CHECK(again == slopes);
  for (Index k = 0; k < x.size(); ++k) {
    constexpr double h = 1e-5;
    std::vector<double> up = x, down = x;
    up[k] += h;
    down[k] -= h;
    const double difference = (likelihood(up, {}) - likelihood(down, {})) / (2.0 * h);
    // Truncation is some h² times a third derivative, rounding 1e-13 / h.
    CHECK(slopes[k] == doctest::Approx(difference).epsilon(1e-6).scale(1.0));
  }
}

TEST_CASE("the fit ends where slopes are small, and above where it began") {
  const Setting setting(30, 1, 1, 0.0, 6);
  const Executor executor(2);
  const OverlapLaw law = overlap_law(setting.units, setting.directions, executor);
  OverlapRows rows{zeros<double>(400, 1), std::vector<double>(400, 1.0 / 400.0)};
  for (Index r = 0; r < 400; ++r) rows.at(r, 0) = r % 4 == 0 ? 1.5 : -0.6;
  LowRankMachine start{zeros<double>(3, 2), {0.0}};
  start.planes(0, 0) = 0.3;
  start.planes(1, 0) = -0.2;
  start.planes(2, 0) = 0.1;
  const LowRankLikelihood likelihood(law, rows, 3, executor);
  const auto at = [&](const LowRankMachine& machine, std::span<double> slopes) {
    std::vector<double> x(machine.planes.begin(), machine.planes.end());
    x.insert(x.end(), machine.field.begin(), machine.field.end());
    return likelihood(x, slopes);
  };
  std::vector<double> first(likelihood.num_parameters()), last(first.size());
  const double before = at(start, first);
  const double after = at(fit_low_rank(law, rows, start, 300, executor), last);
  CHECK(after > before + 0.1);
  const auto size = [](const std::vector<double>& x) {
    double sum = 0.0;
    for (const double v : x) sum += v * v;
    return std::sqrt(sum);
  };
  CHECK(size(last) < 0.05 * size(first));
  // And it stops where it is told to.
  CHECK(at(fit_low_rank(law, rows, start, 2, executor), {}) < after);
}

}  // namespace overlap_law_test
