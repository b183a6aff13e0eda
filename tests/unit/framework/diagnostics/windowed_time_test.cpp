#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/diagnostics/windowed_time.hpp>

namespace windowed_time_test {

using namespace harmonium;

namespace {

/// x_t = φ x_{t−1} + √(1 − φ²) z_t, of variance 1, which has τ = (1 + φ)/(1 − φ).
std::vector<double> ar1(double phi, Index chains, Index steps, std::mt19937_64& words) {
  std::normal_distribution<double> normal;
  std::vector<double> all;
  for (Index r = 0; r < chains; ++r) {
    double x = normal(words);
    for (Index t = 0; t < steps; ++t) {
      all.push_back(x);
      x = phi * x + std::sqrt(1.0 - phi * phi) * normal(words);
    }
  }
  return all;
}

/// N times the variance of 1 + 2 Σ_{t≤W} ρ_t as it is found of N values, by Bartlett (1946): the sum over i and j of
///   Σ_k (ρ_{k+i} ρ_{k+j} + ρ_{k−i} ρ_{k+j} + 2 ρ_i ρ_j ρ_k² − 2 ρ_i ρ_k ρ_{k+j} − 2 ρ_j ρ_k ρ_{k+i}).
double bartlett(double phi, int window) {
  const auto rho = [&](int t) { return std::pow(phi, std::abs(t)); };
  const int far = 2 * window + static_cast<int>(20.0 / (1.0 - phi));
  // Sums over i and j factor: a_k = Σ_i ρ_{k+i}, b_k = Σ_i ρ_{k−i}, s = Σ_i ρ_i.
  double s = 0.0, sum = 0.0;
  for (int i = 1; i <= window; ++i) s += rho(i);
  for (int k = -far; k <= far; ++k) {
    double a = 0.0, b = 0.0;
    for (int i = 1; i <= window; ++i) {
      a += rho(k + i);
      b += rho(k - i);
    }
    sum += a * a + b * a + 2.0 * s * s * rho(k) * rho(k) - 4.0 * s * rho(k) * a;
  }
  return 4.0 * sum;
}

struct Outcomes {
  double mean = 0.0, scatter = 0.0, error = 0.0;                   // in units of τ
  double one = 0.0, two = 0.0;                                     // shares within one error and two
  double without_window = 0.0, of_one_chain = 0.0, of_half = 0.0;  // shares within one of other errors
  double unknown = 0.0;
};

Outcomes outcomes(double phi, Index chains, Index steps, Index repeats) {
  std::mt19937_64 words(17);
  const double exact = (1.0 + phi) / (1.0 - phi);
  Outcomes found;
  double known = 0.0;
  for (Index r = 0; r < repeats; ++r) {
    const std::vector<double> x = ar1(phi, chains, steps, words);
    const auto time = windowed_autocorrelation_time({x.data(), chains, steps, steps});
    if (!time) continue;
    known += 1.0;
    const double off = std::abs(time->value - exact), values = static_cast<double>(chains * steps);
    found.mean += time->value / exact;
    found.scatter += off * off / (exact * exact);
    found.error += time->error / exact;
    found.one += off < time->error ? 1.0 : 0.0;
    found.two += off < 2.0 * time->error ? 1.0 : 0.0;
    found.without_window += off < time->value * std::sqrt(2.0 / values) ? 1.0 : 0.0;
    found.of_one_chain += off < time->error * std::sqrt(static_cast<double>(chains)) ? 1.0 : 0.0;
    found.of_half += off < 0.5 * time->error ? 1.0 : 0.0;
  }
  for (double* of : {&found.mean, &found.scatter, &found.error, &found.one, &found.two, &found.without_window,
                     &found.of_one_chain, &found.of_half})
    *of /= std::max(1.0, known);
  found.scatter = std::sqrt(found.scatter);
  found.unknown = 1.0 - known / static_cast<double>(repeats);
  return found;
}

}  // namespace

TEST_CASE("the windowed time of AR(1) chains is the exact one, and its error their scatter") {
  constexpr Index chains = 8, repeats = 200;
  const std::pair<double, Index> series[] = {{0.0, 400}, {0.5, 400}, {0.9, 1520}, {0.96, 3920}};  // 80 τ and more
  for (const auto& one : series) {
    const auto& [phi, steps] = one;
    CAPTURE(one.first);
    const Outcomes found = outcomes(phi, chains, steps, repeats);
    const double exact = (1.0 + phi) / (1.0 - phi), values = static_cast<double>(chains * steps);
    const int window = std::max(3, static_cast<int>(std::ceil(2.5 * exact)));
    const double scatter = std::sqrt(bartlett(phi, window) / values) / exact;
    CHECK(found.unknown == 0.0);
    // Five deviations of the mean of 200, and the window's e⁻⁵.
    CHECK(std::abs(found.mean - 1.0) < 5.0 * scatter / std::sqrt(200.0) + std::exp(-5.0));
    // A scatter of 200 is known to 1/20. The window moves with the time that it finds, which adds up to a tenth.
    CHECK(found.scatter > 0.75 * scatter);
    CHECK(found.scatter < 1.35 * scatter);
    // Wolff's is of W ≫ τ: without the terms of order τ/W, it is on the safe side by less than a fourth.
    CHECK(found.error > 0.97 * scatter);
    CHECK(found.error < 1.25 * scatter);
    // Of a normal deviation errors of 1 to 1.25 scatters hold 0.68 to 0.79, and twice as many 0.95 to 0.99; five deviations of the
    // share of 200 are 0.16 and 0.08.
    CHECK(found.one > 0.52);
    CHECK(found.one < 0.93);
    CHECK(found.two > 0.87);
    // The controls: half the error, that of one chain alone, and one without the factor of the window.
    CHECK(found.of_half < 0.52);
    CHECK(found.of_one_chain > 0.93);
    CHECK((phi < 0.9 || found.without_window < 0.3));
  }
}

TEST_CASE("bins do not change a long time") {
  // Of 199 steps, in bins of 9: as above, of fewer repeats.
  const Outcomes found = outcomes(0.99, 8, 15920, 16);
  const double scatter = std::sqrt(bartlett(0.99, 498) / (8.0 * 15920.0)) / 199.0;
  CHECK(std::abs(found.mean - 1.0) < 5.0 * scatter / 4.0 + std::exp(-5.0));
  CHECK(found.error > 0.9 * scatter);
  CHECK(found.error < 1.35 * scatter);
}

TEST_CASE("a time that a series is too short to give is not given") {
  // Of 10 τ a chain most windows show too much already; of one chain of 25, half of what all together must have.
  CHECK(outcomes(0.9, 8, 190, 100).unknown > 0.9);
  CHECK(outcomes(0.9, 1, 475, 100).unknown > 0.7);
  CHECK(outcomes(0.9, 8, 95, 100).unknown == 1.0);
}

TEST_CASE("values that alternate have a time below 1") {
  std::mt19937_64 words(3);
  const std::vector<double> x = ar1(-0.3, 8, 4000, words);
  const auto time = windowed_autocorrelation_time({x.data(), 8, 4000, 4000});
  REQUIRE(time);
  CHECK(std::abs(time->value - 0.7 / 1.3) < 5.0 * time->error + 2.0 * std::pow(0.3, 4.0) / 1.3);
  CHECK(time->value < 0.7);
  // Those that only alternate have none.
  std::vector<double> swing(8 * 4000);
  for (Index i = 0; i < swing.size(); ++i) swing[i] = i % 2 == 0 ? 1.0 : -1.0;
  CHECK_FALSE(windowed_autocorrelation_time({swing.data(), 8, 4000, 4000}));
}

TEST_CASE("numbers that stay the same, and what is no number, have no time") {
  std::vector<double> x(8 * 100, -1.0 / 3.0);
  CHECK_FALSE(windowed_autocorrelation_time({x.data(), 8, 100, 100}));
  x[5] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(windowed_autocorrelation_time({x.data(), 8, 100, 100}));
  x[5] = std::numeric_limits<double>::infinity();
  CHECK_FALSE(windowed_autocorrelation_time({x.data(), 8, 100, 100}));
  std::mt19937_64 words(4);
  const std::vector<double> moving = ar1(0.5, 100, 1, words);  // one step a chain has no lags
  CHECK_FALSE(windowed_autocorrelation_time({moving.data(), 100, 1, 1}));
}

}  // namespace windowed_time_test
