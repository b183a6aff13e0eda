#include <cmath>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/core/joint_gaussian.hpp>

namespace joint_gaussian_test {

using namespace harmonium;

namespace {

MatrixView<const double> view(const std::vector<double>& m, Index n) { return {m.data(), m.size() / n, n, n}; }

/// MᵀM + ½ I, M of standard normals.
std::vector<double> random_precision(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> m(n * n), p(n * n, 0.0);
  for (double& v : m) v = normal(random);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) p[i * n + j] += m[k * n + i] * m[k * n + j];
      if (i == j) p[i * n + j] += 0.5;
    }
  return p;
}

/// By expansion along the first row.
double determinant(const std::vector<double>& m, Index n) {
  if (n == 0) return 1.0;
  double sum = 0.0;
  for (Index c = 0; c < n; ++c) {
    std::vector<double> minor;
    for (Index i = 1; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (j != c) minor.push_back(m[i * n + j]);
    sum += (c % 2 ? -1.0 : 1.0) * m[c] * determinant(minor, n - 1);
  }
  return sum;
}

}  // namespace

TEST_CASE("determinant, covariance, means and quadratic forms of a joint normal law are those of its precision") {
  for (const Index n : {Index{1}, Index{2}, Index{5}, Index{7}}) {
    CAPTURE(n);
    const std::vector<double> p = random_precision(n, 3 + n);
    const auto law = JointGaussian::of(view(p, n));
    REQUIRE(law);
    CHECK(law->log_determinant() == doctest::Approx(std::log(determinant(p, n))).epsilon(1e-12));
    const std::vector<double> cov = law->covariance();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        double unit = 0.0;
        for (Index k = 0; k < n; ++k) unit += p[i * n + k] * cov[k * n + j];
        CHECK(std::abs(unit - (i == j ? 1.0 : 0.0)) < 1e-11);
      }
    std::vector<double> f(2 * n);
    for (Index k = 0; k < f.size(); ++k) f[k] = std::sin(1.0 + static_cast<double>(k));
    std::vector<double> mean = f, forms(2);
    law->means({mean.data(), 2, n, n});
    law->quadratic_forms(view(f, n), forms);
    for (Index r = 0; r < 2; ++r) {
      double form = 0.0;
      for (Index i = 0; i < n; ++i) {
        double back = 0.0;
        for (Index k = 0; k < n; ++k) back += p[i * n + k] * mean[r * n + k];
        CHECK(back == doctest::Approx(f[r * n + i]).epsilon(1e-10));
        form += f[r * n + i] * mean[r * n + i];
      }
      CHECK(forms[r] == doctest::Approx(form).epsilon(1e-11));
    }
    // The matrix that makes draws of independent normals is a root of the covariance: rows of it from unit vectors.
    std::vector<double> root(n * n, 0.0);
    for (Index i = 0; i < n; ++i) root[i * n + i] = 1.0;
    law->correlate({root.data(), n, n, n});
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        double sum = 0.0;
        for (Index k = 0; k < n; ++k) sum += root[k * n + i] * root[k * n + j];
        CHECK(std::abs(sum - cov[i * n + j]) < 1e-11);
      }
  }
}

TEST_CASE("a precision that is not positive definite, or not finite, has no law") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK_FALSE(JointGaussian::of(view({1, 2, 2, 1}, 2)));
  CHECK_FALSE(JointGaussian::of(view({1, 1, 1, 1}, 2)));
  CHECK_FALSE(JointGaussian::of(view({0}, 1)));
  CHECK_FALSE(JointGaussian::of(view({nan}, 1)));
  CHECK_FALSE(JointGaussian::of(view({1, nan, nan, 1}, 2)));
  CHECK_FALSE(JointGaussian::of(view({inf, 0, 0, 1}, 2)));
  CHECK(JointGaussian::of(view({1, 0.999, 0.999, 1}, 2)));
}

}  // namespace joint_gaussian_test
