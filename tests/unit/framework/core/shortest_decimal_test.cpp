#include <harmonium/framework/core/shortest_decimal.hpp>

#include <doctest/doctest.h>

namespace shortest_decimal_test {

using namespace harmonium;

TEST_CASE("what rounding adds to a decimal goes, and the number stays") {
  CHECK(0.1 + 0.2 != 0.3);
  CHECK(shortest_decimal(0.1 + 0.2) == 0.3);
  CHECK(shortest_decimal(-30.880000000000003) == -30.88);
  CHECK(shortest_decimal(1e300) == 1e300);
  CHECK(shortest_decimal(0.0) == 0.0);
  CHECK(shortest_decimal(30.88001) == 30.88001);
  CHECK(shortest_decimal(30.88001, 4) == 30.88);
  CHECK(shortest_decimal(0.0612, 1) == 0.06);
}

}  // namespace shortest_decimal_test
