// Standard errors of Potts models in the zero-sum gauge: those of a lattice gas mapped there, and as often as they should.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "lattice_gas.hpp"

namespace zero_sum_errors_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::lattice_gas;

TEST_CASE("errors in the zero-sum gauge are those of a lattice gas mapped there, by sums over its states") {
  std::vector<Index> counts;
  for (const double p : law(truth())) counts.push_back(static_cast<Index>(std::lround(3000.0 * p)));
  const Dataset data = rows_of(counts);
  const auto rows = static_cast<double>(data.rows());
  const auto model = potts();
  for (const bool of_likelihood : {false, true}) {
    CAPTURE(of_likelihood);
    set(*model, zero_sum_of(truth()));
    const Matrix<double> expected = covariance_of(moments(truth(), frequencies(counts), of_likelihood));
    const char* const estimator = of_likelihood ? "exact" : "pseudo_likelihood";
    const Vector<double> found = in_order(*model, errors_of(*model, data, estimator).errors);
    const double tolerance = 0.6 / rows + (in_double ? 1e-9 : 1e-4);  // a covariance over rows − 1 in place of rows
    for (Index k = 0; k < all; ++k) {
      CAPTURE(k);
      CHECK(std::abs(found(k) / std::sqrt(expected(k, k) / rows) - 1.0) < tolerance);
    }
    // In whatever gauge the model stands, as that of the lattice gas.
    model->update_parameters([&](std::span<Real> theta) {
      for (Index a = 0; a < q; ++a) {
        for (Index b = 0; b < q; ++b) {
          theta[place(*model, 0, 1, a, b)] += static_cast<Real>(a) / 2;
          theta[place(*model, 1, 0, b, a)] += static_cast<Real>(a) / 2;
        }
        theta[place(*model, 0, a)] -= static_cast<Real>(a) / 2;
      }
    });
    const Vector<double> elsewhere = in_order(*model, errors_of(*model, data, estimator).errors);
    for (Index k = 0; k < all; ++k) CHECK(std::abs(elsewhere(k) / found(k) - 1.0) < (in_double ? 1e-9 : 1e-4));
  }
}

TEST_CASE("parameters of made data lie as far from the truth as their errors say") {
  constexpr Index sets = 24, rows = 1000;
  const Vector<double> right = zero_sum_of(truth());
  const std::vector<double> p = law(truth());
  const auto model = potts();
  double sum = 0.0;
  for (Index d = 0; d < sets; ++d) {
    const std::vector<Index> counts = drawn(p, rows, 100 + d);
    const std::vector<double> w = frequencies(counts);
    Vector<double> psi = truth();
    GasMoments m = moments(psi, w, false);
    for (int step = 0; step < 20; ++step, m = moments(psi, w, false))
      psi -= xt::linalg::dot(Matrix<double>(xt::linalg::inv(m.curvature)), m.gradient);
    REQUIRE(xt::amax(xt::abs(m.gradient))() < 1e-10);
    const Vector<double> found = zero_sum_of(psi);
    set(*model, found);
    const Vector<double> errors = in_order(*model, errors_of(*model, rows_of(counts), "pseudo_likelihood").errors);
    const Vector<double> z = (found - right) / errors;
    sum += xt::sum(z * z)() / (sets * all);
  }
  // Normal numbers of the correlations R have Var(Σ z²) = 2 tr R². Five of these deviations, and what terms of 1/rows add.
  const Matrix<double> covariance = covariance_of(moments(truth(), p, false));
  double squares = 0.0;
  for (Index a = 0; a < all; ++a)
    for (Index b = 0; b < all; ++b)
      squares += covariance(a, b) * covariance(a, b) / covariance(a, a) / covariance(b, b);
  const double deviation = std::sqrt(2.0 * squares / sets) / all;
  CAPTURE(deviation);
  CHECK(std::abs(sum - 1.0) < 5.0 * deviation + static_cast<double>(own) / rows);
  CHECK(5.0 * deviation < 0.5);  // a factor of √2 in the errors would be seen
}

}  // namespace zero_sum_errors_test
