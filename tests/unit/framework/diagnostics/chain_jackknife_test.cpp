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
  const NumberWithError chains_by_series = ChainJackknife(series, blocks).estimate(product_less);
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
    if (chains < 4) CHECK(alike == of_blocks);
    // Of 64 blocks known to 9 %, of chains larger by chance once in a hundred.
    CHECK(alike == doctest::Approx(1.0 / std::sqrt(static_cast<double>(chains * steps))).epsilon(0.5));
    for (Index t = 0; t < steps; ++t) x[t] += 100.0;
    const auto [apart, blocks_of_apart] = errors();
    if (chains < 4) CHECK(apart == blocks_of_apart);
    else CHECK(apart == doctest::Approx(100.0 / static_cast<double>(chains)).epsilon(0.01));
  }
}

}  // namespace chain_jackknife_test
