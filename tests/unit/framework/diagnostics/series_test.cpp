#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/diagnostics/series.hpp>

namespace series_test {

using namespace harmonium;

namespace {

constexpr Index chains = 32, steps = 1000;

/// x_t = φ x_{t−1} + √(1 − φ²) z_t, of variance 1; chain r is moved by r · shift.
std::vector<double> ar1(double phi, std::uint64_t seed, double shift = 0.0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> all;
  for (Index r = 0; r < chains; ++r) {
    double x = normal(random);
    for (Index t = 0; t < steps; ++t) {
      all.push_back(x + shift * static_cast<double>(r));
      x = phi * x + std::sqrt(1.0 - phi * phi) * normal(random);
    }
  }
  return all;
}

Series series(const std::vector<double>& v) { return {v.data(), chains, steps, steps}; }

}  // namespace

TEST_CASE("both autocorrelation times are those of an AR(1) process") {
  for (const double phi : {0.0, 0.5, 0.9, 0.95}) {
    CAPTURE(phi);
    const double exact = (1.0 + phi) / (1.0 - phi);
    const std::vector<double> x = ar1(phi, 3);
    // 32,000 values: the window's relative deviation is about √(4 W τ / n), W the window; batches of 125 steps, 256 apart from
    // overlap, have √(2 / 256), and lack τ / 125 of themselves. Five deviations, the lack, and the control of a time that
    // counts each lag once in place of twice.
    const double window = monotone_autocorrelation_time(series(x)),
                 batches = batch_means_autocorrelation_time(series(x));
    const double half = 0.5 * (exact + 1.0);
    CHECK(std::abs(window - exact) < exact * (0.01 + 5.0 * std::sqrt(4.0 * 3.0 * exact / (chains * steps))));
    CHECK(std::abs(batches - exact) < exact * (5.0 * std::sqrt(2.0 / 256.0) + exact / 125.0));
    if (phi >= 0.9) {
      CHECK(window > 1.3 * half);
      CHECK(batches > 1.2 * half);
    }
  }
}

TEST_CASE("equal numbers have no autocorrelation, though their mean is rounded") {
  // The sum of 32,000 thirds is rounded thousands of times: all are off the mean by as much.
  const std::vector<double> thirds(chains * steps, -1.0 / 3.0);
  CHECK(batch_means_autocorrelation_time(series(thirds)) == 1.0);
  CHECK(monotone_autocorrelation_time(series(thirds)) == 1.0);
  // A fluctuation of a millionth is one.
  std::vector<double> moved = ar1(0.9, 5);
  for (double& x : moved) x = -1.0 / 3.0 + 1e-6 * x;
  CHECK(batch_means_autocorrelation_time(series(moved)) > 10.0);
}

TEST_CASE("R-hat is that of its definition") {
  // By the formulas of Vehtari et al. (2021), written down another time.
  const std::vector<double> apart{0.3, 1.2,  -0.7, 2.2, 0.9, 0.1, 1.5, -1.1, 0.4,
                                  0.8, -0.2, 1.9,  2.5, 0.7, 3.1, 1.4, 2.0,  0.6};
  CHECK(rank_normalized_r_hat({apart.data(), 3, 6, 6}) == doctest::Approx(1.0454147416369657).epsilon(1e-12));
  // One mean, two scales: the folded values tell.
  const std::vector<double> wide{0.1, -0.2, 0.15, -0.05, 0.02, 0.3, 3.1, -4.2, 2.2, -1.9, 5.0, -3.3};
  CHECK(rank_normalized_r_hat({wide.data(), 2, 6, 6}) == doctest::Approx(1.6318663129809314).epsilon(1e-12));
}

TEST_CASE("chains that stay apart are seen by R-hat, by the times and by their means") {
  const std::vector<double> one = ar1(0.5, 4), two = ar1(0.5, 4, 0.05);
  CHECK(rank_normalized_r_hat(series(one)) < 1.01);
  CHECK(rank_normalized_r_hat(series(two)) > 1.05);
  CHECK(monotone_autocorrelation_time(series(two)) > 20.0 * monotone_autocorrelation_time(series(one)));
  CHECK(batch_means_autocorrelation_time(series(two)) > 5.0 * batch_means_autocorrelation_time(series(one)));
  CHECK(equal_means_probability(series(two), 8) < 1e-6);
}

TEST_CASE("the probability of equal means is uniform where they are, whatever the autocorrelation") {
  // 200 sets of chains: of p below 0.1 there are 20, fewer than 3 or more than 42 once in 10^5.
  int below = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    below += equal_means_probability(series(ar1(0.9, 100 + seed)), 8) < 0.1 ? 1 : 0;
  CHECK(below >= 3);
  CHECK(below <= 42);
}

TEST_CASE("whether chains forget one half of a series in the other is told at its level") {
  // Halves of mean 1 and 3, and 7 and 5: between chains 16, within them 2, and of F with 1 and 2 degrees of freedom P(F > f) is
  // 1 - sqrt(f / (f + 2)).
  const std::vector<double> by_hand{0, 2, 4, 2, 6, 8, 4, 6};
  CHECK(forgotten_halves_probability({by_hand.data(), 2, 4, 4}) ==
        doctest::Approx(1.0 - std::sqrt(0.8)).epsilon(1e-12));
  // As above: of independent values fewer than 3 of 200 below 0.1, or more than 42, once in 10^5.
  int below = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    below += forgotten_halves_probability(series(ar1(0.0, 100 + seed))) < 0.1 ? 1 : 0;
  CHECK(below >= 3);
  CHECK(below <= 42);
  // Chains of 10^5 steps' memory, and chains that stay apart, are seen.
  CHECK(forgotten_halves_probability(series(ar1(0.99999, 7))) < 1e-6);
  CHECK(forgotten_halves_probability(series(ar1(0.5, 4, 0.05))) < 1e-6);
  const std::vector<double> still(chains * steps, 2.0);
  CHECK(forgotten_halves_probability(series(still)) == 1.0);
}

TEST_CASE("chains that stand still") {
  std::vector<double> still(chains * steps, 2.0);
  CHECK(monotone_autocorrelation_time(series(still)) == 1.0);
  CHECK(batch_means_autocorrelation_time(series(still)) == 1.0);
  CHECK(rank_normalized_r_hat(series(still)) == 1.0);
  CHECK(equal_means_probability(series(still), 8) == 1.0);
  still[3] = std::numeric_limits<double>::quiet_NaN();  // no rank, and no end of a search for one
  CHECK(std::isnan(rank_normalized_r_hat(series(still))));
  for (Index i = 0; i < still.size(); ++i) still[i] = static_cast<double>(i / steps < 16);
  CHECK(std::isinf(rank_normalized_r_hat(series(still))));
  CHECK(equal_means_probability(series(still), 8) == 0.0);
}

}  // namespace series_test
