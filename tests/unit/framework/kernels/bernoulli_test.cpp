#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/kernels/kernels.hpp>

namespace bernoulli_test {

using namespace harmonium;

namespace {

constexpr Index units = 17;
constexpr Index chains = 4096;
constexpr int steps = 2000;
constexpr double draws = static_cast<double>(chains) * steps;

// 17 two-sided comparisons for each of two scalar types; false alarms with a probability below 2e-6 in all.
constexpr double score_limit = 5.5;

/// Largest normal score, over the units, of the frequency of state 1 in 8.2 million draws against sigm(bias), when the
/// kernel is given `factor` times the bias.
template <class T>
double worst_score(double factor) {
  std::vector<T> bias(units), given(units), field(chains * units), state(chains * units);
  for (Index c = 0; c < units; ++c) {
    bias[c] = static_cast<T>(-4 + 0.5 * static_cast<double>(c));
    given[c] = static_cast<T>(factor * bias[c]);
  }
  std::vector<double> counts(units);
  for (std::uint64_t step = 0; step < steps; ++step) {
    kernels_of<T>().bernoulli(DrawBlock::of({11, 12}, 1, step, LayerId{2}), {field.data(), chains, units, units},
                              given.data(), nullptr, {state.data(), chains, units, units}, {});
    T ones[units] = {};
    for (Index r = 0; r < chains; ++r) {
      for (Index c = 0; c < units; ++c) ones[c] += state[r * units + c];
    }
    for (Index c = 0; c < units; ++c) counts[c] += static_cast<double>(ones[c]);
  }
  double worst = 0;
  for (Index c = 0; c < units; ++c) {
    const double p = 1 / (1 + std::exp(-static_cast<double>(bias[c])));
    worst = std::max(worst, std::abs(counts[c] - draws * p) / std::sqrt(draws * p * (1 - p)));
  }
  return worst;
}

}  // namespace

TEST_CASE_TEMPLATE("units are on as often as they should be", T, float, double) {
  CHECK(worst_score<T>(1) < score_limit);
}

// Power: a bias b wrong by 0.5 % shifts the score of its unit by 0.005 |b| sqrt(p (1 - p) draws) = 9.5 at |b| = 2.5, on
// either side: the test misses it with a probability below 1e-8.
TEST_CASE_TEMPLATE("the test notices biases that are wrong by 0.5 %", T, float, double) {
  CHECK(worst_score<T>(1.005) > score_limit);
}

TEST_CASE("states of a chain, of a unit and of successive steps are uncorrelated") {
  // Fair units; agreements of n pairs have variance n / 4. Three comparisons; false alarms below 1e-6.
  constexpr Index n = 512;
  std::vector<float> field(n * n), state(n * n), last(n * n);
  double units_agree = 0, chains_agree = 0, steps_agree = 0;
  for (std::uint64_t step = 0; step <= 16; ++step) {
    kernels_of<float>().bernoulli(DrawBlock::of({11, 13}, 0, step, LayerId{2}), {field.data(), n, n, n}, nullptr,
                                  nullptr, {state.data(), n, n, n}, {});
    for (Index r = 0; step > 0 && r < n; ++r) {
      for (Index c = 0; c < n; ++c) {
        units_agree += state[r * n + c] == state[r * n + (c + 1) % n];
        chains_agree += state[r * n + c] == state[(r + 1) % n * n + c];
        steps_agree += state[r * n + c] == last[r * n + c];
      }
    }
    last = state;
  }
  const double pairs = 16. * n * n;
  for (const double agree : {units_agree, chains_agree, steps_agree}) {
    CHECK(std::abs(agree - pairs / 2) / std::sqrt(pairs / 4) < 5.1);
  }
}

}  // namespace bernoulli_test
