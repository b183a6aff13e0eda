#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/plugins/potts/contact_scores.hpp>

namespace contact_scores_test {

using namespace harmonium;

namespace {

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
  const std::vector<double> z = zero_sum(block);
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
           zero_sum(ConstMatrixRef{w.data(), n, n, n}.slice(i * q, i * q + q).columns(j * q, j * q + q)))
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

}  // namespace contact_scores_test
