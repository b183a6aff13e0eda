#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/diagnostics/accumulator.hpp>

namespace accumulator_test {

using namespace harmonium;

namespace {

/// x_t = φ x_{t−1} + √(1 − φ²) z_t, of variance 1 from its first value on.
std::vector<double> ar1(double phi, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x{normal(random)};
  while (x.size() < n) x.push_back(phi * x.back() + std::sqrt(1.0 - phi * phi) * normal(random));
  return x;
}

/// Variance of the mean of m neighbors of an AR(1) process of variance 1.
double variance_of_bin(double phi, double m) {
  double sum = m;
  for (double t = 1; t < m; ++t) sum += 2.0 * (m - t) * std::pow(phi, t);
  return sum / (m * m);
}

}  // namespace

TEST_CASE("binning finds the error and the correlation of an AR(1) process") {
  for (const double phi : {-0.5, 0.0, 0.6, 0.9, 0.98}) {
    CAPTURE(phi);
    constexpr std::size_t n = 1 << 18;
    BinningAccumulator acc;
    for (const double x : ar1(phi, n, 3)) acc.add(x);
    CHECK(acc.count() == n);
    // Each level against its exact expectation. A variance from k bins has a relative deviation of √(2/(k − 1)), halved
    // for its root; five of them are allowed.
    for (Index l = 0; l < acc.levels() && acc.bins(l) >= 64; ++l) {
      CAPTURE(l);
      const auto m = static_cast<double>(std::uint64_t{1} << l), k = static_cast<double>(acc.bins(l));
      const double exact = std::sqrt(variance_of_bin(phi, m) / k);
      // The lowest levels hold correlated bins: as many independent ones as there are correlation times.
      const double independent = std::min(k, static_cast<double>(n) * (1.0 - std::abs(phi)) / (1.0 + std::abs(phi)));
      CHECK(std::abs(acc.error(l) / exact - 1.0) < 5.0 * std::sqrt(0.5 / (independent - 1.0)));
    }
    // τ = (1 + φ)/(1 − φ): from 64 bins with a relative deviation of √(2/63).
    const double tau = (1.0 + phi) / (1.0 - phi);
    CHECK(std::abs(acc.autocorrelation_time() / tau - 1.0) < 5.0 * std::sqrt(2.0 / 63.0));
    CHECK(std::abs(acc.mean()) < 5.0 * std::sqrt(tau / static_cast<double>(n)));
  }
}

TEST_CASE("an error bar covers the truth as often as it says") {
  // 400 means of a correlated process: z = mean / error is Student's t of 63 degrees or more, of variance 1.03. Its mean
  // square over 400 has a deviation of 0.08.
  double squares = 0.0, naive = 0.0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    BinningAccumulator acc;
    for (const double x : ar1(0.8, 4096, 100 + seed)) acc.add(x);
    squares += acc.mean() * acc.mean() / (acc.error() * acc.error()) / 400.0;
    naive += acc.mean() * acc.mean() / (acc.error(0) * acc.error(0)) / 400.0;
  }
  CHECK(squares > 0.7);
  CHECK(squares < 1.5);
  CHECK(naive > 6.0);  // what forgets the correlation (τ = 9) is caught
}

TEST_CASE("few values have no error bar, equal ones none to speak of") {
  BinningAccumulator acc;
  CHECK(acc.count() == 0);
  CHECK(std::isinf(acc.error()));
  for (int i = 0; i < 63; ++i) acc.add(2.5);
  CHECK(std::isinf(acc.error()));
  acc.add(2.5);
  CHECK(acc.error() == 0.0);
  CHECK(acc.mean() == 2.5);
  CHECK(acc.variance() == 0.0);
}

TEST_CASE("an accumulator goes on where it was saved") {
  const std::vector<double> values = ar1(0.5, 1001, 8);
  BinningAccumulator whole, first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    whole.add(values[i]);
    if (i < 333) first.add(values[i]);
  }
  StateArchive saved;
  first.state(saved);
  BinningAccumulator second;
  second.add(7.0);  // overwritten
  StateArchive loading(saved.fields(), {});
  second.state(loading);
  for (std::size_t i = 333; i < values.size(); ++i) second.add(values[i]);
  CHECK(second.mean() == whole.mean());
  CHECK(second.error() == whole.error());
  CHECK(second.count() == 1001);
}

}  // namespace accumulator_test
