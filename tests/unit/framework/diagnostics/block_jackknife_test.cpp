#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/diagnostics/block_jackknife.hpp>

namespace block_jackknife_test {

using namespace harmonium;

namespace {

Series series_of(const std::vector<double>& v, Index chains) {
  return {v.data(), chains, v.size() / chains, v.size() / chains};
}

const auto first = [](std::span<const double> means) { return means[0]; };

/// x_t = φ x_{t−1} + √(1 − φ²) z_t, of variance 1, chain after chain.
std::vector<double> autoregressive(double phi, Index chains, Index steps, std::mt19937_64& words) {
  std::normal_distribution<double> normal;
  std::vector<double> all;
  for (Index c = 0; c < chains; ++c) {
    double x = normal(words);
    for (Index t = 0; t < steps; ++t) {
      all.push_back(x);
      x = phi * x + std::sqrt(1.0 - phi * phi) * normal(words);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("of a mean the jackknife's error is that of the means of blocks") {
  const std::vector<double> x{1, 2, 4, 8, 16, 32, 3, 5, 7, 9, 11, 13};  // two chains of six
  const Series series = series_of(x, 2);
  const std::vector<double> blocks{7.0 / 3, 56.0 / 3, 5, 11};  // of three
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 12;
  double squares = 0.0;
  for (const double b : blocks) squares += (b - mean) * (b - mean);
  const NumberWithError found = BlockJackknife(std::span(&series, 1), 2).estimate(first);
  CHECK(found.value == doctest::Approx(mean).epsilon(1e-13));
  CHECK(found.error == doctest::Approx(std::sqrt(squares / (4 * 3))).epsilon(1e-13));
}

TEST_CASE("stretches of unequal length count by their lengths") {
  const std::vector<double> x{1, 2, 4, 8, 16};  // cut into 1, 2 | 4, 8, 16
  const Series series = series_of(x, 1);
  const NumberWithError found = BlockJackknife(std::span(&series, 1), 2).estimate(first);
  const double without_first = 28.0 / 3, without_second = 1.5, middle = (without_first + without_second) / 2;
  CHECK(found.value == doctest::Approx(2 * 31.0 / 5 - middle).epsilon(1e-13));
  CHECK(found.error == doctest::Approx(std::abs(without_first - without_second) / 2).epsilon(1e-13));
}

TEST_CASE("of blocks of one value each the variance is the unbiased one") {
  const std::vector<double> x{0.5, -1, 3, 2.25, 7, -4, 0, 1};
  std::vector<double> squares;
  squares.reserve(x.size());
  for (const double v : x) squares.push_back(v * v);
  const std::vector<Series> both{series_of(squares, 8), series_of(x, 8)};
  const NumberWithError found =
      BlockJackknife(both, 1).estimate([](std::span<const double> m) { return m[0] - m[1] * m[1]; });
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 8;
  double unbiased = 0.0;
  for (const double v : x) unbiased += (v - mean) * (v - mean) / 7;
  CHECK(found.value == doctest::Approx(unbiased).epsilon(1e-12));
}

TEST_CASE("errors of a mean and of a variance are those of an AR(1) process, where blocks are long") {
  // Of the mean: τ/n, τ = (1 + φ)/(1 − φ). Of the variance of a normal process: 2 τ₂/n, τ₂ = (1 + φ²)/(1 − φ²).
  constexpr Index chains = 8, steps = 4000, blocks = 8, repeats = 100;
  constexpr double phi = 0.8, n = chains * steps;
  const double of_mean = std::sqrt((1 + phi) / (1 - phi) / n);
  const double of_variance = std::sqrt(2 * (1 + phi * phi) / (1 - phi * phi) / n);
  std::mt19937_64 words(4);
  double mean_squares = 0.0, variance_squares = 0.0, bias = 0.0, too_small = 0.0;
  for (Index i = 0; i < repeats; ++i) {
    const std::vector<double> x = autoregressive(phi, chains, steps, words);
    std::vector<double> squares;
    squares.reserve(x.size());
    for (const double v : x) squares.push_back(v * v);
    const std::vector<Series> both{series_of(squares, chains), series_of(x, chains)};
    const BlockJackknife jackknife(both, blocks);
    const NumberWithError mean = jackknife.estimate([](std::span<const double> m) { return m[1]; });
    const NumberWithError variance = jackknife.estimate([](std::span<const double> m) { return m[0] - m[1] * m[1]; });
    mean_squares += mean.error * mean.error / repeats;
    variance_squares += variance.error * variance.error / repeats;
    bias += (variance.value - 1.0) / of_variance / repeats;
    too_small +=
        std::pow(BlockJackknife(both, steps).estimate([](std::span<const double> m) { return m[1]; }).error, 2) /
        repeats;
  }
  // A squared error of 64 blocks has the relative deviation √(2/63) = 0.18, the mean of a hundred 0.018: six of them, and
  // the τ/500 = 0.02 that blocks of 500 lack.
  CHECK(std::sqrt(mean_squares) == doctest::Approx(of_mean).epsilon(0.06));
  CHECK(std::sqrt(variance_squares) == doctest::Approx(of_variance).epsilon(0.06));
  CHECK(std::abs(bias) < 6.0 / std::sqrt(static_cast<double>(repeats)));
  // Blocks of single values, the control, do not know of the correlation: a third of the error.
  CHECK(std::sqrt(too_small) == doctest::Approx(of_mean / 3.0).epsilon(0.06));
}

TEST_CASE("there are 64 blocks or a few more") {
  CHECK(BlockJackknife::usual_blocks(2) == 32);
  CHECK(BlockJackknife::usual_blocks(8) == 8);
  CHECK(BlockJackknife::usual_blocks(48) == 2);
  CHECK(BlockJackknife::usual_blocks(64) == 1);
  CHECK(BlockJackknife::usual_blocks(1000) == 1);
}

}  // namespace block_jackknife_test
