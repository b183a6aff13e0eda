#include <doctest/doctest.h>

#include <harmonium/framework/diagnostics/two_digits.hpp>

namespace two_digits_test {

using namespace harmonium;

TEST_CASE("a number is rounded up to two digits, and never down") {
  CHECK(up_to_two_digits(1725.0) == 1800.0);
  CHECK(up_to_two_digits(1800.0) == 1800.0);
  CHECK(up_to_two_digits(1800.1) == 1900.0);
  CHECK(up_to_two_digits(9910.0) == 10000.0);
  CHECK(up_to_two_digits(100.0) == 100.0);
  CHECK(up_to_two_digits(75.2) == 76.0);
  CHECK(up_to_two_digits(2.51) == doctest::Approx(2.6));
}

}  // namespace two_digits_test
