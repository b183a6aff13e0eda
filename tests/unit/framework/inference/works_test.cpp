#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace works_test {

using namespace harmonium;

namespace {

// Log weights of both sides where the work is normal: forward N(c − s²/2, s²), backward N(−c − s²/2, s²), for which Crooks's
// relation holds and log(Z₁ / Z₀) = c (Crooks 1999).
struct Sides {
  std::vector<double> forward, backward;
};
Sides normal_works(std::mt19937_64& words, double c, double s, Index num) {
  std::normal_distribution<double> normal;
  Sides sides;
  for (Index i = 0; i < num; ++i) {
    sides.forward.push_back(c - 0.5 * s * s + s * normal(words));
    sides.backward.push_back(-c - 0.5 * s * s + s * normal(words));
  }
  return sides;
}

/// Mean and standard deviation of (estimate − truth) / error over repetitions.
template <class Estimate>
std::pair<double, double> standardized(double c, double s, Index num, const Estimate& estimate) {
  constexpr int repetitions = 400;
  std::mt19937_64 words(7);
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < repetitions; ++i) {
    const OneSided found = estimate(normal_works(words, c, s, num));
    const double z = (found.log_ratio - c) / found.error;
    sum += z;
    squares += z * z;
  }
  return {sum / repetitions, std::sqrt(squares / repetitions)};
}

}  // namespace

TEST_CASE("log weights that are all alike are their own mean") {
  const std::vector<double> same(5, -700.25);
  CHECK(log_mean_weight(same).log_ratio == doctest::Approx(-700.25).epsilon(1e-15));
  CHECK(log_mean_weight(same).error == 0.0);
  CHECK(log_mean_weight(same).effective_sample_size == doctest::Approx(5.0).epsilon(1e-14));
  const std::vector<double> opposite(3, 700.25);
  CHECK(bennett(same, opposite).log_ratio == doctest::Approx(-700.25).epsilon(1e-12));
}

TEST_CASE("log mean weight is the logarithm of the mean, and its error that of the mean") {
  const std::vector<double> w{std::log(1.0), std::log(2.0), std::log(6.0)};
  const OneSided found = log_mean_weight(w);
  CHECK(found.log_ratio == doctest::Approx(std::log(3.0)).epsilon(1e-14));
  // Variance of the mean of 1, 2, 6: 14 / 2 / 3; over the mean 3.
  CHECK(found.error == doctest::Approx(std::sqrt(14.0 / 6.0) / 3.0).epsilon(1e-13));
  CHECK(found.effective_sample_size == doctest::Approx(81.0 / 41.0).epsilon(1e-13));
  CHECK_THROWS_AS(log_mean_weight({}), NumericalError);
  const std::vector<double> none{0.0, NAN};
  CHECK_THROWS_AS(log_mean_weight(none), NumericalError);
  CHECK_THROWS_AS(bennett(w, none), NumericalError);
}

TEST_CASE("estimates of normal works are right within errors that mean what they say") {
  // The mean of 400 standardized estimates has deviation 0.05, their spread 0.035: limits of 5 of these. An error that is
  // 20 % too small, or a bias of a third of it, is found.
  for (const double s : {0.3, 1.0, 2.0}) {
    CAPTURE(s);
    const auto [mean, spread] =
        standardized(3.7, s, 400, [](const Sides& w) { return bennett(w.forward, w.backward); });
    CHECK(std::abs(mean) < 0.25);
    CHECK(std::abs(spread - 1.0) < 0.18);
  }
  const auto [mean, spread] = standardized(-2.0, 0.5, 400, [](const Sides& w) { return log_mean_weight(w.forward); });
  CHECK(std::abs(mean) < 0.25);
  CHECK(std::abs(spread - 1.0) < 0.18);
}

TEST_CASE("sides of different sizes are weighed by them") {
  const auto [mean, spread] =
      standardized(1.5, 1.0, 400, [](const Sides& w) { return bennett(w.forward, std::span(w.backward).first(100)); });
  CHECK(std::abs(mean) < 0.25);
  CHECK(std::abs(spread - 1.0) < 0.18);
}

TEST_CASE("sides thousands of nats apart are balanced, with their error, and overlap nowhere") {
  // With σ(x) = e^x so far below 0, the sums are equal where n_r Σ_f e^w / n_f = e^{2c} n_f Σ_r e^w / n_r.
  const std::vector<double> forward{-2000.0, -2001.5, -2000.25, -2003.0}, backward{-1998.0, -2000.5};
  const auto log_sum = [](std::span<const double> w) {
    double sum = 0.0;
    for (const double x : w) sum += std::exp(x + 2000.0);
    return std::log(sum) - 2000.0;
  };
  const auto relative_variance = [](std::span<const double> w) {
    double sum = 0.0, squares = 0.0;
    const auto n = static_cast<double>(w.size());
    for (const double x : w) sum += std::exp(x + 2000.0);
    for (const double x : w) squares += std::pow(std::exp(x + 2000.0) * n / sum - 1.0, 2);
    return squares / n / (n - 1.0);
  };
  const OneSided found = bennett(forward, backward);
  CHECK(found.log_ratio ==
        doctest::Approx(0.5 * (log_sum(forward) - log_sum(backward)) - std::log(2.0)).epsilon(1e-10));
  CHECK(found.error ==
        doctest::Approx(std::sqrt(relative_variance(forward) + relative_variance(backward))).epsilon(1e-9));
  CHECK(found.effective_sample_size < 1e-300);

  // Walks of a side that are all alike count for nothing either, where they do not come as far as the other side's.
  const std::vector<double> same(50, -20.0);
  CHECK(bennett(same, same).log_ratio == doctest::Approx(0.0).scale(1.0).epsilon(1e-10));
  CHECK(bennett(same, same).effective_sample_size == doctest::Approx(100.0 * std::exp(-20.0)).epsilon(1e-6));
  const std::vector<double> there(50, 20.0);  // what they would be where log(Z₁ / Z₀) is −20
  CHECK(bennett(same, there).effective_sample_size == doctest::Approx(50.0).epsilon(1e-6));
}

TEST_CASE("the equation of both sides is solved wherever they lie") {
  std::mt19937_64 words(11);
  std::vector<Sides> all{{{50.0, 60.0}, {55.0, 70.0, 58.0}},                  // σ is 1 on both sides between them
                         {{-1e4, 3.0, 2.5}, {-2.0, 1e4}},                     // one far from the others
                         {{-1e5, -1e5 - 3.0}, {1e5 + 1.0, 1e5, 1e5 - 0.5}}};  // far from 0
  for (const double s : {0.01, 1.0, 5.0, 30.0}) {
    all.push_back(normal_works(words, 40.0, s, 60));
    all.back().backward.resize(7);
  }
  for (const Sides& w : all) {
    CAPTURE(w.forward[0]);
    const double c = bennett(w.forward, w.backward).log_ratio;
    const double log_share = std::log(static_cast<double>(w.forward.size()) / static_cast<double>(w.backward.size()));
    const auto log_sum = [](std::vector<double> weights, double shift) {
      for (double& x : weights) x = -log1pexp(-(x + shift));
      return logsumexp(weights);
    };
    const auto above = [&](double at) {
      return log_sum(w.forward, -at - log_share) - log_sum(w.backward, at + log_share);
    };
    const double near = 1e-9 + 1e-14 * std::abs(c);
    CHECK(above(c - near) > 0.0);
    CHECK(above(c + near) < 0.0);
  }
}

TEST_CASE("at the border where sums are taken in logarithms nothing leaps") {
  for (const double apart : {299.0, 300.0, 301.0, 350.0, 700.0, 760.0}) {
    CAPTURE(apart);
    const std::vector<double> forward{-apart, -apart - 1.0}, backward{-apart, -apart - 2.0};
    const double right = 0.5 * (std::log1p(std::exp(-1.0)) - std::log1p(std::exp(-2.0)));
    CHECK(std::abs(bennett(forward, backward).log_ratio - right) < 1e-11 * apart);
    const auto share = [](double less) { return std::tanh(0.5 * less); };  // (1 − e^−d) / (1 + e^−d)
    CHECK(bennett(forward, backward).error == doctest::Approx(std::hypot(share(1.0), share(2.0))).epsilon(1e-9));
  }
}

TEST_CASE("control: one side with the wrong sign is far off, and so is an error that forgets groups") {
  std::mt19937_64 words(3);
  Sides sides = normal_works(words, 3.7, 1.0, 400);
  std::vector<double> turned;
  for (const double w : sides.backward) turned.push_back(-w);
  CHECK(std::abs(bennett(sides.forward, turned).log_ratio - 3.7) > 1.0);
  // Ten copies of each weight: the error is that of a tenth as many.
  std::vector<double> copies;
  for (Index i = 0; i < 40; ++i) copies.insert(copies.end(), 10, sides.forward[i]);
  const OneSided grouped = log_mean_weight(copies, 10), alone = log_mean_weight(std::span(sides.forward).first(40));
  CHECK(grouped.error == doctest::Approx(alone.error).epsilon(1e-12));
  CHECK(log_mean_weight(copies).error < 0.4 * alone.error);
}

}  // namespace works_test
