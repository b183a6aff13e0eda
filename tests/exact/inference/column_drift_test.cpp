// Whether the mean of some column moves: no false alarm at rest, whatever the law, and what moves is seen.
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/column_drift.hpp>

namespace column_drift_test {

using namespace harmonium;

namespace {

/// Bits of independent chains that are 1 with probability `p` at both looks, but for column 0, that comes up in a share of the chains where
/// it was 0.
std::optional<ColumnDrift::Move> moved(Index chains, Index columns, double p, double share, std::mt19937_64& words) {
  std::bernoulli_distribution up(p), rises(share);
  std::vector<Real> before(chains * columns), after(chains * columns);
  for (Index i = 0; i < before.size(); ++i) {
    before[i] = up(words) ? Real{1} : Real{0};
    after[i] = up(words) ? Real{1} : Real{0};
    if (i % columns == 0 && before[i] == 0 && rises(words)) after[i] = 1;
  }
  ColumnDrift drift;
  const Index half = chains / 2;
  drift.add({before.data(), half, columns, columns}, {after.data(), half, columns, columns});
  drift.add({before.data() + half * columns, chains - half, columns, columns},
            {after.data() + half * columns, chains - half, columns, columns});
  return drift.move();
}

}  // namespace

TEST_CASE("columns at rest are not told to move, of few chains, many columns and rare bits too") {
  // 2,400 drifts at a level of 1e-4 at most: 0.24 expected, and more than 4 once in 300,000.
  std::mt19937_64 words(3);
  int alarms = 0;
  for (int i = 0; i < 800; ++i) {
    alarms += moved(8, 784, 0.5, 0.0, words) ? 1 : 0;
    alarms += moved(60, 100, 0.02, 0.0, words) ? 1 : 0;
    alarms += moved(200, 3, 0.5, 0.0, words) ? 1 : 0;
  }
  CHECK(alarms <= 4);
}

TEST_CASE("a column that moves is told, with its place and its direction") {
  // Of 2000 chains 500 are down at both looks, and a share of 0.6 more of these comes up: Σd = 300 and Σd² = 1300, so that the ratio is 8.3 ± 1.
  // With 0.1 it is 1.6, and the threshold at 12 columns is 4.98.
  std::mt19937_64 words(5);
  int seen = 0, faint = 0;
  for (int i = 0; i < 50; ++i) {
    const auto move = moved(2000, 12, 0.5, 0.6, words);
    if (move && move->column == 0 && move->ratio > 4.98) ++seen;
    if (moved(2000, 12, 0.5, 0.1, words)) ++faint;
  }
  CHECK(seen == 50);
  CHECK(faint < 10);
}

TEST_CASE("columns that are held do not move, and nothing was looked at without rows") {
  CHECK_FALSE(ColumnDrift().move());
  const std::vector<Real> ones(100, Real{1});
  ColumnDrift drift;
  drift.add({ones.data(), 100, 1, 1}, {ones.data(), 100, 1, 1});
  CHECK_FALSE(drift.move());
}

}  // namespace column_drift_test
