#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>

namespace numerics_test {

using namespace harmonium;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double eps = std::numeric_limits<double>::epsilon();

/// The same by the definition with 64 bits of mantissa.
double logistic_of(double x) { return static_cast<double>(1.0L / (1.0L + std::exp(-static_cast<long double>(x)))); }
double log1pexp_of(double x) { return static_cast<double>(std::log1p(std::exp(static_cast<long double>(x)))); }

double stream(const std::vector<double>& x) {
  LogSumExp sum;
  for (const double v : x) sum.add(v);
  return sum.value();
}

}  // namespace

TEST_CASE("the logistic function and the softplus have full relative accuracy on both sides") {
  for (double x = -700.0; x <= 700.0; x += 0.37) {
    CAPTURE(x);
    CHECK(std::abs(logistic(x) / logistic_of(x) - 1.0) <= 4 * eps);
    CHECK(std::abs(log1pexp(x) / log1pexp_of(x) - 1.0) <= 4 * eps);
  }
}

TEST_CASE("the logistic function and the softplus take infinities and hand on NaN") {
  CHECK(logistic(0.0) == 0.5);
  CHECK(logistic(infinity) == 1.0);
  CHECK(logistic(-infinity) == 0.0);
  CHECK(std::isnan(logistic(not_a_number)));
  CHECK(log1pexp(infinity) == infinity);
  CHECK(log1pexp(-infinity) == 0.0);
  CHECK(log1pexp(1e6) == 1e6);
  CHECK(std::isnan(log1pexp(not_a_number)));
}

TEST_CASE("a log sum of exponentials neither overflows nor underflows, at once or as a stream") {
  for (const double shift : {0.0, 1e4, -1e4}) {
    CAPTURE(shift);
    const std::vector<double> x{shift + 1.0, shift - 2.0, shift + 0.5, shift + 1.0, shift - 40.0};
    const double expected = shift + std::log(2 * std::exp(1.0) + std::exp(-2.0) + std::exp(0.5) + std::exp(-40.0));
    CHECK(std::abs(logsumexp(x) - expected) <= 8 * eps * std::max(1.0, std::abs(shift)));
    CHECK(std::abs(stream(x) - expected) <= 8 * eps * std::max(1.0, std::abs(shift)));
  }
}

TEST_CASE("a log sum of exponentials of nothing is minus infinity, and infinities and NaN are not lost") {
  for (const auto& of : {+[](const std::vector<double>& x) { return logsumexp(x); },
                         +[](const std::vector<double>& x) { return stream(x); }}) {
    CHECK(of({}) == -infinity);
    CHECK(of({-infinity, -infinity}) == -infinity);
    CHECK(of({-infinity, 3.0}) == 3.0);
    CHECK(of({infinity, 3.0, infinity, -infinity}) == infinity);
    CHECK(std::isnan(of({not_a_number})));
    CHECK(std::isnan(of({not_a_number, 1.0})));
    CHECK(std::isnan(of({1.0, not_a_number, 2.0})));
    CHECK(std::isnan(of({infinity, not_a_number})));
  }
}

}  // namespace numerics_test
