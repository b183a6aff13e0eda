#include <cmath>
#include <cstdint>
#include <functional>

#include <boost/math/distributions/binomial.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>

#include <harmonium/program/report/trend.hpp>

#include <doctest/doctest.h>

namespace trend_test {

using namespace harmonium;

namespace {

/// One point an epoch: `of(epoch)` and noise of a normal law.
LoggedCurve noisy_curve(int points, double noise, std::uint32_t seed, const std::function<double(int)>& of) {
  boost::random::mt19937 words(seed);
  boost::random::normal_distribution<double> normal(0.0, noise);
  LoggedCurve curve;
  for (int e = 1; e <= points; ++e) curve.points.push_back({double(e), of(e) + normal(words)});
  return curve;
}

int better_off_earlier(int curves, int points, double noise, const std::function<double(int)>& of) {
  int count = 0;
  for (int k = 0; k < curves; ++k) {
    const auto trend = trend_of(noisy_curve(points, noise, static_cast<std::uint32_t>(k + 1), of));
    REQUIRE(trend);
    if (trend->best_epoch) ++count;
  }
  return count;
}

}  // namespace

// Were the share of alarms p = 0.0027, more than the quantile taken here would come once in 10,000 seeds. Three standard deviations
// of scatter, held against the last point, alarm at 19 to 50 % of curves at rest.
TEST_CASE("of curves at rest no more are better off earlier than was promised") {
  const int curves = 4000;
  const boost::math::binomial_distribution<> law(curves, 0.0027);
  const double most = boost::math::quantile(boost::math::complement(law, 1e-4));
  for (const int points : {8, 20, 100, 400})
    CHECK_MESSAGE(better_off_earlier(curves, points, 1.0, [](int) { return 0.0; }) <= most, points);
  CHECK(better_off_earlier(curves, 40, 0.05, [](int e) { return 1.0 - std::exp(-e / 6.0); }) <= most);
}

// The peak of sqrt(e) exp(-e / 20) is at epoch 10; by epoch 40 a half of it is lost, twelve times the scatter.
TEST_CASE("a curve that has passed its peak is better off earlier, and says where") {
  const auto risen_and_fallen = [](int e) { return std::sqrt(e) * std::exp(-e / 20.0) / 1.92; };
  CHECK(better_off_earlier(200, 40, 0.04, risen_and_fallen) == 200);
  const auto trend = trend_of(noisy_curve(40, 0.04, 1, risen_and_fallen));
  REQUIRE(trend->best_epoch);
  CHECK(*trend->best_epoch == doctest::Approx(10.0).epsilon(0.5));
  CHECK(trend->end == doctest::Approx(risen_and_fallen(40)).epsilon(0.15));
}

TEST_CASE("seven points decide nothing, nor do values that are no numbers") {
  LoggedCurve curve = noisy_curve(7, 0.01, 1, [](int e) { return e; });
  CHECK_FALSE(trend_of(curve));
  curve.points.push_back({8.0, std::nan("")});
  CHECK_FALSE(trend_of(curve));
  curve.points.push_back({9.0, 9.0});
  CHECK(trend_of(curve)->state == Trend::State::moves);
}

}  // namespace trend_test
