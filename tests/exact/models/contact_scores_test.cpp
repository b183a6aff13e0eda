#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/model/contact_scores.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>

namespace contact_scores_test {

using namespace harmonium;

namespace {

std::vector<double> contact_scores(ConstMatrixRef coupling, Index q, std::optional<Index> left_out) {
  return corrected_by_average_product(coupling_norms(coupling, q, left_out), coupling.rows / q);
}

std::vector<Real> random_coupling(Index sites, Index q, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const Index n = sites * q;
  std::vector<Real> w(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j)
      if (i / q != j / q) w[i * n + j] = w[j * n + i] = static_cast<Real>(std::round(64.0 * normal(random)) / 64.0);
  return w;
}

}  // namespace

TEST_CASE("the zero-sum gauge sums to zero and leaves every cycle of couplings as it was") {
  const Index q = 5;
  const std::vector<Real> w = random_coupling(2, q, 1);
  const ConstMatrixRef block = ConstMatrixRef{w.data(), 2 * q, 2 * q, 2 * q}.slice(0, q).columns(q, 2 * q);
  const std::vector<double> z = zero_sum(block).coupling;
  for (Index a = 0; a < q; ++a) {
    double row = 0.0, column = 0.0;
    for (Index b = 0; b < q; ++b) {
      row += z[a * q + b];
      column += z[b * q + a];
      const double before = static_cast<double>(block(a, b)) - static_cast<double>(block(0, b)) -
                            static_cast<double>(block(a, 0)) + static_cast<double>(block(0, 0));
      CHECK(std::abs(z[a * q + b] - z[b] - z[a * q] + z[0] - before) < 1e-12);
    }
    CHECK(std::abs(row) < 1e-12);
    CHECK(std::abs(column) < 1e-12);
  }
}

TEST_CASE("contact scores do not depend on the gauge, and are the corrected norms of their definition") {
  const Index q = 3, sites = 4, n = sites * q;
  std::vector<Real> w = random_coupling(sites, q, 2);
  const std::vector<double> scores = contact_scores({w.data(), n, n, n}, q, {});

  std::vector<std::vector<double>> norm(sites, std::vector<double>(sites));
  for (Index i = 0; i < sites; ++i) {
    for (Index j = 0; j < sites; ++j) {
      if (i == j) continue;
      double squares = 0.0;
      for (const double v :
           zero_sum(ConstMatrixRef{w.data(), n, n, n}.slice(i * q, i * q + q).columns(j * q, j * q + q)).coupling)
        squares += v * v;
      norm[i][j] = std::sqrt(squares);
    }
  }
  double all = 0.0;
  std::vector<double> mean(sites);
  for (Index i = 0; i < sites; ++i)
    for (Index j = 0; j < sites; ++j) {
      mean[i] += norm[i][j] / 3.0;
      all += norm[i][j] / 12.0;
    }
  for (Index i = 0; i < sites; ++i)
    for (Index j = 0; j < sites; ++j)
      CHECK(std::abs(scores[i * sites + j] - (i == j ? 0.0 : norm[i][j] - mean[i] * mean[j] / all)) < 1e-12);

  // Another gauge: a function of each state is added to all couplings of a pair.
  for (Index a = 0; a < q; ++a)
    for (Index b = 0; b < q; ++b) {
      const auto more = static_cast<Real>(2.0 * static_cast<double>(a) - 0.5 * static_cast<double>(b * b));
      w[a * n + q + b] += more;
      w[(q + b) * n + a] += more;
    }
  const std::vector<double> again = contact_scores({w.data(), n, n, n}, q, {});
  for (Index k = 0; k < scores.size(); ++k) CHECK(std::abs(again[k] - scores[k]) < 1e-12);
  CHECK(contact_scores({w.data(), n, n, n}, q, 0)[1] != scores[1]);
}

TEST_CASE(
    "the norm of an Ising pair written as one of two states is twice its coupling, and a gap is left out by name") {
  const Real ising[] = {Real(0.75), Real(-0.75), Real(-0.75), Real(0.75)};
  CHECK(coupling_norm({ising, 2, 2, 2}, {}) == 1.5);
  // Of w δ(a, b) over q states the zero-sum form is w (δ − 1/q), whose norm is |w| √(q − 1); without one state it is that of
  // the rest of it.
  const Real potts[] = {-2, 0, 0, 0, -2, 0, 0, 0, -2};
  CHECK(std::abs(coupling_norm({potts, 3, 3, 3}, {}) - 2.0 * std::sqrt(2.0)) < 1e-14);
  CHECK(std::abs(coupling_norm({potts, 3, 3, 3}, 1) - 2.0 * std::sqrt(2.0 * 4.0 / 9.0 + 2.0 / 9.0)) < 1e-14);
}

TEST_CASE("the average product correction takes away what pairs have of their sites") {
  // Of equal norms nothing is left.
  const Index sites = 5;
  std::vector<double> equal(sites * sites, 0.5);
  for (Index i = 0; i < sites; ++i) equal[i * sites + i] = 0.0;
  for (const double score : corrected_by_average_product(equal, sites)) CHECK(std::abs(score) < 1e-15);
  // F = 1, 2 and 3 of the pairs 01, 02 and 12: means 3/2, 2 and 5/2 over partners, 2 over all.
  const std::vector<double> scores = corrected_by_average_product({0, 1, 2, 1, 0, 3, 2, 3, 0}, 3);
  const double expected[] = {0, 1 - 1.5, 2 - 1.875, 1 - 1.5, 0, 3 - 2.5, 2 - 1.875, 3 - 2.5, 0};
  for (Index k = 0; k < 9; ++k) CHECK(std::abs(scores[k] - expected[k]) < 1e-14);
  CHECK(corrected_by_average_product({0, 0, 0, 0}, 2) == std::vector<double>(4, 0.0));
  CHECK(corrected_by_average_product({0}, 1) == std::vector<double>{0});
}

}  // namespace contact_scores_test
