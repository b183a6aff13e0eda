#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/half_line.hpp>

namespace half_line_test {

using namespace harmonium;

namespace {

using Matrix = std::vector<double>;

bool integrable(const Matrix& m, Index num_free) {
  const auto n = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(m.size()))));
  return surely_integrable({m.data(), n, n, n}, num_free);
}

Matrix random_symmetric(Index n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Matrix m(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) m[i * n + j] = m[j * n + i] = (i == j ? 1.0 : 0.0) + 0.6 * normal(random);
  return m;
}

double form(const Matrix& m, const std::vector<double>& z) {
  double sum = 0.0;
  for (Index i = 0; i < z.size(); ++i)
    for (Index j = 0; j < z.size(); ++j) sum += z[i] * m[i * z.size() + j] * z[j];
  return sum;
}

}  // namespace

TEST_CASE("two coordinates on half lines: any positive coupling, and a negative one above -1") {
  for (const double a : {-0.99, -0.5, 0.0, 0.99, 5.0}) CHECK(integrable({1, a, a, 1}, 0));
  for (const double a : {-1.01, -3.0}) CHECK_FALSE(integrable({1, a, a, 1}, 0));
  CHECK_FALSE(integrable({-0.1, 2, 2, 1}, 0));
}

TEST_CASE("a free coordinate leaves 1 - w^2 of one on a half line") {
  for (const double w : {-0.99, 0.0, 0.99}) CHECK(integrable({1, w, w, 1}, 1));
  for (const double w : {-1.01, 1.01}) CHECK_FALSE(integrable({1, w, w, 1}, 1));
  CHECK_FALSE(integrable({-1, 0, 0, 1}, 1));
  CHECK(integrable({2, 1, 1, 2}, 2));
  CHECK_FALSE(integrable({1, 2, 2, 1}, 2));
}

TEST_CASE("one free coordinate and two on half lines: exactly where the form grows in every direction") {
  std::mt19937_64 random(3);
  int yes = 0, no = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Matrix m = random_symmetric(3, random);
    double min = m[0];
    // The free coordinate where the form is smallest: z_0 = -(m_01 y_1 + m_02 y_2) / m_00.
    for (int i = 0; i <= 2000 && m[0] > 0.0; ++i) {
      const double angle = std::numbers::pi / 2.0 * i / 2000.0, y1 = std::cos(angle), y2 = std::sin(angle);
      min = std::min(min, form(m, {-(m[1] * y1 + m[2] * y2) / m[0], y1, y2}));
    }
    if (std::abs(min) < 1e-3) continue;  // nearer to the border than the grid sees
    CAPTURE(trial);
    CHECK(integrable(m, 1) == (min > 0.0));
    (min > 0.0 ? yes : no) += 1;
  }
  CHECK(yes > 50);
  CHECK(no > 50);
}

TEST_CASE("what is said to be integrable is, of many coordinates too") {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  int said = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Matrix m = random_symmetric(4, random);
    if (!integrable(m, 1)) continue;
    ++said;
    CAPTURE(trial);
    double min = 1.0;
    for (int i = 0; i < 20'000; ++i) {
      std::vector<double> z{normal(random), normal(random), normal(random), normal(random)};
      for (Index k = 1; k < 4; ++k) z[k] = std::abs(z[k]);
      min = std::min(min, form(m, z));
    }
    CHECK(min > 0.0);
  }
  CHECK(said > 50);
}

}  // namespace half_line_test
