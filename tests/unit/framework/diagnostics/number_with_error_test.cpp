#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/diagnostics/number_with_error.hpp>

namespace number_with_error_test {

using namespace harmonium;

TEST_CASE("a number is written with two digits of its error") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto text = [](double value, double error) { return NumberWithError{value, error}.text(); };
  CHECK(text(-1.41421356, 0.0012) == "-1.4142(12)");
  CHECK(text(0.5, 0.1) == "0.50(10)");
  CHECK(text(0.843860444, 0.00996) == "0.844(10)");  // 0.00996 is 0.010 to two digits
  CHECK(text(0.843860444, 0.0994) == "0.844(99)");
  CHECK(text(31.41, 1.23) == "31.4(1.2)");
  CHECK(text(31.41, 9.96) == "31(10)");
  CHECK(text(1234.6, 12.3) == "1235(12)");
  CHECK(text(1234.5, 343.0) == "1230(340)");
  CHECK(text(0.0, 0.02) == "0.000(20)");
  CHECK(text(2.5, 0.0) == "2.5(0)");
  CHECK(text(-12.25, 1e-14) == "-12.25(0)");
  CHECK(text(1e-20, 2e-21) == "1e-20(2e-21)");
  CHECK(text(2.5, infinity) == "2.5(?)");
  CHECK(text(2.5, nan) == "2.5(?)");
  CHECK(text(nan, 0.1) == "-");
  CHECK(text(infinity, 0.1) == "-");
}

}  // namespace number_with_error_test
