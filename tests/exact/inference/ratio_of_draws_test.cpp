// log(Z_one / Z_other) from draws of two laws over a few states, whose sums are known.
#include <cmath>
#include <random>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <doctest/doctest.h>

#include <harmonium/framework/inference/ratio_of_draws.hpp>

namespace ratio_of_draws_test {

using namespace harmonium;

namespace {

constexpr Index states = 64, draws = 200;
constexpr int seeds = 400;

/// Energies of two laws: normal numbers, and the same with others of a standard deviation `apart` added.
struct Pair {
  std::vector<double> u, v;

  explicit Pair(double apart) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    for (Index s = 0; s < states; ++s) {
      u.push_back(1.5 * normal(random));
      v.push_back(u.back() + 2.0 + apart * normal(random));
    }
  }
  static double log_z(const std::vector<double>& energies) {
    double z = 0.0;
    for (const double e : energies) z += std::exp(-e);
    return std::log(z);
  }
  double exact() const { return log_z(u) - log_z(v); }
  /// Σ 2 p q / (p + q).
  double overlap() const {
    double sum = 0.0;
    for (Index s = 0; s < states; ++s) {
      const double p = std::exp(-u[s] - log_z(u)), q = std::exp(-v[s] - log_z(v));
      sum += 2.0 * p * q / (p + q);
    }
    return sum;
  }
};

/// Draws of the law of `own`, each `times` times in a row.
DrawnEnergies drawn(const std::vector<double>& own, const std::vector<double>& other, Index times,
                    std::mt19937_64& random, Index count = draws) {
  std::vector<double> weights;
  for (const double e : own) weights.push_back(std::exp(-e));
  std::discrete_distribution<std::size_t> law(weights.begin(), weights.end());
  DrawnEnergies found;
  for (Index r = 0; r < count; r += times) {
    const std::size_t s = law(random);
    found.own.insert(found.own.end(), times, own[s]);
    found.other.insert(found.other.end(), times, other[s]);
  }
  return found;
}

RatioOfDraws ratio(const Pair& pair, Index times, Index group, std::uint64_t seed, Index count = draws) {
  std::mt19937_64 random(seed);
  DrawnEnergies one = drawn(pair.u, pair.v, times, random, count), other = drawn(pair.v, pair.u, times, random, count);
  one.group = other.group = group;
  return ratio_of_draws(one, other);
}

int misses(const Pair& pair, Index times, Index group, Index count = draws) {
  int missed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const RatioOfDraws found = ratio(pair, times, group, static_cast<std::uint64_t>(seed), count);
    missed += found.low <= pair.exact() && pair.exact() <= found.high ? 0 : 1;
  }
  return missed;
}

/// So many of 400 intervals of 95 % miss by chance once in a thousand.
int most_misses() {
  const boost::math::binomial law(seeds, 0.05);
  return static_cast<int>(boost::math::quantile(boost::math::complement(law, 1e-3)));
}

}  // namespace

TEST_CASE("intervals of the ratio of two laws hold what sums say, and their width is that of the best bridge") {
  const Pair pair(0.5);
  CHECK(pair.exact() > 1.0);  // which a wrong sign would miss by more than ten errors
  CHECK(misses(pair, 1, 1) <= most_misses());
  // Meng & Wong (1996): of n draws each the variance is (2 / n) (1 / Σ 2pq/(p + q) − 1) as n grows.
  const double variance = 2.0 / static_cast<double>(draws) * (1.0 / pair.overlap() - 1.0);
  double squares = 0.0, told = 0.0, counting = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const RatioOfDraws found = ratio(pair, 1, 1, static_cast<std::uint64_t>(seed));
    squares += (found.log_ratio - pair.exact()) * (found.log_ratio - pair.exact()) / seeds;
    told += found.error * found.error / seeds;
    counting += found.counting / seeds;
    CHECK(found.overlap());
    CHECK(found.draws == draws);
  }
  // A mean of 400 squares is known to 7 %: four of these.
  CHECK(std::abs(squares / variance - 1.0) < 0.28);
  CHECK(std::abs(told / variance - 1.0) < 0.1);
  CHECK(counting <= static_cast<double>(draws));
}

TEST_CASE("draws that share their luck count as one, and as if they did not intervals would miss") {
  const Pair pair(0.5);
  CHECK(misses(pair, 20, 20) <= most_misses());
  CHECK(misses(pair, 20, 1) > 3 * most_misses());
}

TEST_CASE("the ratio of a law with itself is 1 without an error, and turned it is its reciprocal") {
  const Pair same(0.0), pair(0.5);  // both but for a constant
  const RatioOfDraws found = ratio(same, 1, 1, 3);
  CHECK(std::abs(found.log_ratio - 2.0) < 1e-11);
  CHECK(found.low <= found.log_ratio);
  CHECK(found.high - found.low < 1e-10);
  CHECK(found.counting == doctest::Approx(static_cast<double>(draws)).epsilon(1e-9));
  std::mt19937_64 random(5);
  const DrawnEnergies one = drawn(pair.u, pair.v, 1, random), other = drawn(pair.v, pair.u, 1, random);
  CHECK(ratio_of_draws(one, other).log_ratio == doctest::Approx(-ratio_of_draws(other, one).log_ratio).epsilon(1e-9));
}

TEST_CASE("of many draws a smaller share is enough, and intervals hold as well") {
  const Pair pair(3.0);
  constexpr Index many = 1000;
  int enough = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const RatioOfDraws found = ratio(pair, 1, 1, static_cast<std::uint64_t>(seed), many);
    CHECK(found.counting < 0.25 * many);
    enough += found.overlap() ? 1 : 0;
  }
  CHECK(enough == seeds);
  CHECK(misses(pair, 1, 1, many) <= most_misses());
  CHECK(RatioOfDraws{.draws = 100}.enough() == 25.0);
  CHECK(RatioOfDraws{.draws = 1000}.enough() == 50.0);
  CHECK(RatioOfDraws{.draws = 4000}.enough() == 200.0);
}

TEST_CASE("laws that lie apart do not overlap") {
  const Pair pair(10.0);
  CHECK(pair.overlap() < 0.2);
  const RatioOfDraws found = ratio(pair, 1, 1, 3);
  CHECK_FALSE(found.overlap());
  CHECK(found.counting < found.enough());
}

TEST_CASE("where ladders of two kinds of start say different things the interval reaches to both") {
  // Two states whose shares in draws of the one are off by the start: of ladders that began low all lie in the one state.
  const double du[] = {0.0, 1.0};
  DrawnEnergies one, other;
  for (Index r = 0; r < draws; ++r) {
    const bool low_start = r / 20 % 2 == 1;
    const std::size_t s = low_start || r % 2 == 0 ? 0 : 1;
    one.own.push_back(0.0);
    one.other.push_back(du[s]);
    other.own.push_back(du[r % 4 == 0 ? 1 : 0]);
    other.other.push_back(0.0);
  }
  one.group = other.group = 20;
  const RatioOfDraws blind = ratio_of_draws(one, other);
  one.starts_apart = true;
  const RatioOfDraws found = ratio_of_draws(one, other);
  CHECK(found.log_ratio == blind.log_ratio);
  for (Index kind = 0; kind < 2; ++kind) {
    DrawnEnergies alone;
    for (Index r = 0; r < draws; ++r) {
      if (r / 20 % 2 != kind) continue;
      alone.own.push_back(one.own[r]);
      alone.other.push_back(one.other[r]);
    }
    const double of_kind = ratio_of_draws(alone, other).log_ratio;
    CHECK(found.low <= of_kind);
    CHECK(of_kind <= found.high);
  }
  CHECK(found.high - found.low > 1.1 * (blind.high - blind.low));
}

}  // namespace ratio_of_draws_test
