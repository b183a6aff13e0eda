#include <harmonium/framework/execution/permutation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

namespace permutation_test {

using namespace harmonium;

namespace {

/// A normal score of chi-square with `degrees` degrees of freedom (Wilson and Hilferty).
double score(double chi2, double degrees) {
  const double v = 2 / (9 * degrees);
  return (std::cbrt(chi2 / degrees) - (1 - v)) / std::sqrt(v);
}

double chi_square(const std::vector<double>& counts, double expected) {
  double chi2 = 0;
  for (const double count : counts) chi2 += (count - expected) * (count - expected) / expected;
  return chi2;
}

/// Score of the frequencies of the n! orders of n points over `keys` keys.
template <class Order>
double orders_score(Index n, int keys, const Order& order) {
  std::map<std::vector<Index>, double> found;
  std::vector<Index> all(n);
  for (Index i = 0; i < n; ++i) all[i] = i;
  do {
    found[all] = 0;
  } while (std::next_permutation(all.begin(), all.end()));
  for (int key = 0; key < keys; ++key) found.at(order(static_cast<std::uint64_t>(key))) += 1;
  std::vector<double> counts;
  counts.reserve(found.size());
  for (const auto& [_, count] : found) counts.push_back(count);
  return score(chi_square(counts, keys / static_cast<double>(counts.size())), static_cast<double>(counts.size()) - 1);
}

std::vector<Index> order_of(Index n, std::uint64_t key) {
  const Permutation permutation(n, key);
  std::vector<Index> order(n);
  for (Index i = 0; i < n; ++i) order[i] = permutation(i);
  return order;
}

// One-sided; false alarms with a probability of 4e-7 a comparison.
constexpr double score_limit = 5;

}  // namespace

TEST_CASE("a permutation is a bijection") {
  constexpr Index sizes[] = {1,  2,  3,   4,   5,   6,   7,    8,    9,    13,   15,   16,    17,    31,    32,
                             33, 97, 100, 127, 128, 129, 1000, 1021, 1024, 1025, 4096, 10007, 60000, 65536, 65537};
  for (const Index n : sizes) {
    CAPTURE(n);
    for (std::uint64_t key = 0; key < 3; ++key) {
      std::vector<Index> order = order_of(n, key);
      CHECK(Permutation(n, key).size() == n);
      std::sort(order.begin(), order.end());
      bool bijective = true;
      for (Index i = 0; i < n; ++i) bijective = bijective && order[i] == i;
      CHECK(bijective);
    }
  }
}

TEST_CASE("a permutation has no value outside") {
  CHECK_THROWS_AS(Permutation(0, 1)(0), std::out_of_range);
  CHECK_THROWS_AS(Permutation(7, 1)(7), std::out_of_range);
}

TEST_CASE("a permutation handles sizes beyond any table") {
  const Index n = (Index{1} << 40) + 12345;
  const Permutation permutation(n, 3);
  CHECK(permutation(0) < n);
  CHECK(permutation(0) != permutation(n - 1));
}

TEST_CASE("all orders of a few points are equally likely") {
  CHECK(orders_score(2, 20000, [](std::uint64_t key) { return order_of(2, key); }) < score_limit);
  CHECK(orders_score(3, 60000, [](std::uint64_t key) { return order_of(3, key); }) < score_limit);
  CHECK(orders_score(4, 120000, [](std::uint64_t key) { return order_of(4, key); }) < score_limit);
  CHECK(orders_score(5, 120000, [](std::uint64_t key) { return order_of(5, key); }) < score_limit);
}

// Power: leaving the last point in place in 2 % of the cases adds 120000 * 0.02^2 * (24 / 6 - 1) = 144 to chi-square,
// whose limit is 51 above its mean and whose standard deviation is then 25: missed once in 10^4 such tests.
TEST_CASE("the test of the orders notices one point that stays in 2 % of the cases") {
  const auto lazy_order = [](std::uint64_t key) {
    std::vector<Index> order = order_of(4, key);
    if (key % 50 == 0) std::swap(*std::find(order.begin(), order.end(), Index{3}), order[3]);
    return order;
  };
  CHECK(orders_score(4, 120000, lazy_order) > score_limit);
}

TEST_CASE("every position goes everywhere, and neighbors part") {
  // 101 points: where position i goes, and the distance (modulo n) to where i + 1 goes, over 20200 keys.
  constexpr Index n = 101;
  constexpr int keys = 20200;
  std::vector<std::vector<double>> places(n, std::vector<double>(n)), distances(n - 1, std::vector<double>(n));
  for (std::uint64_t key = 0; key < keys; ++key) {
    const std::vector<Index> order = order_of(n, key);
    for (Index i = 0; i < n; ++i) places[i][order[i]] += 1;
    for (Index i = 0; i + 1 < n; ++i) distances[i][(order[i + 1] + n - order[i]) % n] += 1;
  }
  for (const auto& counts : places) CHECK(score(chi_square(counts, keys / double{n}), n - 1) < 5.5);
  for (auto& counts : distances) {
    CHECK(counts[0] == 0);
    counts.erase(counts.begin());
    CHECK(score(chi_square(counts, keys / double{n - 1}), n - 2) < 5.5);
  }
}

TEST_CASE("another key is another permutation") {
  // Fixed points of the composition are Poisson with mean 1: 15 or more have a probability of 1e-12.
  const Permutation a(60000, 1), b(60000, 2);
  int agreements = 0;
  for (Index i = 0; i < 60000; ++i) agreements += a(i) == b(i);
  CHECK(agreements < 15);
}

TEST_CASE("many positions at once go where each goes by itself") {
  for (const Index n : {1, 2, 7, 8, 9, 100, 1021, 1025}) {
    CAPTURE(n);
    const std::vector<Index> expected = order_of(n, 5);
    std::vector<Index> places(n);
    for (Index i = 0; i < n; ++i) places[i] = i;
    Permutation(n, 5).apply(places);
    CHECK(places == expected);
    std::vector<Index> outside{0, n};
    CHECK_THROWS_AS(Permutation(n, 5).apply(outside), std::out_of_range);
    CHECK(outside == std::vector<Index>{0, n});
  }
}

// Regression values: a change of them changes the order of the data in every run.
TEST_CASE("permutations keep their values") {
  CHECK(order_of(10, 1) == std::vector<Index>{0, 8, 5, 9, 3, 7, 4, 1, 6, 2});
}

}  // namespace permutation_test
