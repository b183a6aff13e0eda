#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/diagnostics/chain_jackknife.hpp>

namespace chain_jackknife_test {

using namespace harmonium;

namespace {

std::vector<double> normal_numbers(Index count, unsigned seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(count);
  for (double& v : x) v = normal(words);
  return x;
}

const auto first_mean = [](std::span<const double> means) { return means[0]; };
const auto product_less = [](std::span<const double> means) { return means[0] - means[1] * means[1]; };

double of_halves(const Series& series, Index blocks) {
  return BlockJackknife(std::span(&series, 1), 2 * blocks).estimate(first_mean).error;
}

}  // namespace

TEST_CASE("sums of blocks give what the series give, of blocks of unequal lengths too") {
  constexpr Index chains = 5, steps = 37, blocks = 4;  // of 9 and 10 values
  const std::vector<double> x = normal_numbers(chains * steps, 1), y = normal_numbers(chains * steps, 2);
  const Series series[] = {{x.data(), chains, steps, steps}, {y.data(), chains, steps, steps}};
  std::vector<double> sums;
  for (const Series& one : series)
    for (Index c = 0; c < chains; ++c)
      for (Index b = 0; b < blocks; ++b) {
        double sum = 0.0;
        for (Index t = b * steps / blocks; t < (b + 1) * steps / blocks; ++t) sum += one(c, t);
        sums.push_back(sum);
      }
  const Series of_blocks{sums.data(), 2, chains * blocks, chains * blocks};
  const std::vector<Index> lengths = BlockJackknife::lengths_of(chains, blocks, steps);
  CHECK(std::accumulate(lengths.begin(), lengths.end(), Index{0}) == chains * steps);
  const NumberWithError by_series = BlockJackknife(series, blocks).estimate(product_less);
  const NumberWithError by_sums = BlockJackknife(of_blocks, lengths).estimate(product_less);
  CHECK(by_series.value == by_sums.value);
  CHECK(by_series.error == by_sums.error);
  const NumberWithError chains_by_series = ChainJackknife(series, blocks / 2).estimate(product_less);
  const NumberWithError chains_by_sums = ChainJackknife(of_blocks, chains, steps).estimate(product_less);
  CHECK(chains_by_series.value == doctest::Approx(chains_by_sums.value).epsilon(1e-12));
  CHECK(chains_by_series.error == doctest::Approx(chains_by_sums.error).epsilon(1e-12));
}

TEST_CASE("the error is that of whole chains where one lies elsewhere, of four chains or more, and else of blocks") {
  constexpr Index steps = 400;
  for (const Index chains : {2, 3, 4, 8}) {
    CAPTURE(chains);
    std::vector<double> x = normal_numbers(chains * steps, 3);
    const Index blocks = BlockJackknife::usual_blocks(chains);
    const Series series{x.data(), chains, steps, steps};
    const auto errors = [&] {
      return std::pair(ChainJackknife(std::span(&series, 1), blocks).estimate(first_mean).error,
                       BlockJackknife(std::span(&series, 1), blocks).estimate(first_mean).error);
    };
    const auto [alike, of_blocks] = errors();
    if (chains < 4) CHECK(alike == ChainJackknife::extrapolated(of_blocks, of_halves(series, blocks)));
    // Of 64 blocks and their halves known to 11 %, of chains larger by chance once in a hundred.
    CHECK(alike == doctest::Approx(1.0 / std::sqrt(static_cast<double>(chains * steps))).epsilon(0.5));
    for (Index t = 0; t < steps; ++t) x[t] += 100.0;
    const auto [apart, blocks_of_apart] = errors();
    if (chains < 4) CHECK(apart < 2.0 * blocks_of_apart);
    else CHECK(apart == doctest::Approx(100.0 / static_cast<double>(chains)).epsilon(0.01));
  }
}

TEST_CASE("an error is made larger by what halves of blocks show to be too short, and never smaller") {
  // 5² + (5² − 3²) = 41
  CHECK(ChainJackknife::extrapolated(5.0, 3.0) == doctest::Approx(std::sqrt(41.0)).epsilon(1e-14));
  CHECK(ChainJackknife::extrapolated(5.0, 5.0) == 5.0);
  CHECK(ChainJackknife::extrapolated(5.0, 6.0) == 5.0);
}

/// Series whose fluctuation has a slow part: independent numbers of variance 1 − s, and a share s of an autoregression of 100 steps, as
/// the sign that all replicas of a ladder share has. Pulls of means of 8 chains of 2000 steps, of 300 seeds: their root mean square is
/// known to 4.1 %. With x = length/100, of the slow part's 200 s = 20 stretches see 1 − (1 − e^−x)/x: whole chains 0.95, blocks of 250 steps
/// 0.63, their halves 0.43, and twice the one less the other 0.84. With the 1 − s of independent numbers the pull is
/// (19.9/13.6)^½ = 1.21 by blocks, and (19.9/17.6)^½ = 1.06 with halves.
TEST_CASE("pulls of means with a slow part are near 1, which those by blocks alone are not") {
  constexpr Index chains = 8, steps = 2000, seeds = 300;
  constexpr double share = 0.1, time = 100.0;
  const double kept = std::exp(-1.0 / time), fresh = std::sqrt(1.0 - kept * kept);
  double of_blocks = 0.0, of_both = 0.0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    std::vector<double> x = normal_numbers(chains * steps, 2 * seed + 1);
    const std::vector<double> slow = normal_numbers(chains * steps, 2 * seed + 2);
    for (Index c = 0; c < chains; ++c) {
      double state = slow[c * steps];
      for (Index t = 0; t < steps; ++t) {
        if (t > 0) state = kept * state + fresh * slow[c * steps + t];
        x[c * steps + t] = std::sqrt(1.0 - share) * x[c * steps + t] + std::sqrt(share) * state;
      }
    }
    const Series series{x.data(), chains, steps, steps};
    const Index blocks = BlockJackknife::usual_blocks(chains);
    const NumberWithError simple = BlockJackknife(std::span(&series, 1), blocks).estimate(first_mean);
    const NumberWithError better = ChainJackknife(std::span(&series, 1), blocks).estimate(first_mean);
    of_blocks += simple.value * simple.value / (simple.error * simple.error) / seeds;
    of_both += better.value * better.value / (better.error * better.error) / seeds;
  }
  CAPTURE(std::sqrt(of_blocks));
  CAPTURE(std::sqrt(of_both));
  // Four standard errors about what is derived above; those by blocks lie beyond.
  CHECK(std::abs(std::sqrt(of_both) - 1.06) < 4.0 * 0.041 * 1.06);
  CHECK(std::sqrt(of_blocks) > 1.0 + 4.0 * 0.041);
  CHECK(of_blocks > 1.12 * of_both);
}

}  // namespace chain_jackknife_test
