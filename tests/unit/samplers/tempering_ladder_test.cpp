#include <doctest/doctest.h>

#include <harmonium/framework/inference/tempering_ladder.hpp>

namespace tempering_ladder_test {

using namespace harmonium;

TEST_CASE("an even ladder goes from 1 to 0") { CHECK(even_ladder(5) == std::vector<double>{1, 0.75, 0.5, 0.25, 0}); }

TEST_CASE("a balanced ladder puts its rungs at equal parts of the rejections") {
  const std::vector<double> ladder{1, 0.5, 0};
  CHECK(balanced_ladder(ladder, std::vector<double>{0.2, 0.2}) == ladder);
  CHECK(balanced_ladder(ladder, std::vector<double>{0.0, 0.0}) == ladder);
  // All is rejected in the lower half: the middle rung goes there.
  const std::vector<double> moved = balanced_ladder(ladder, std::vector<double>{0.1, 0.7});
  CHECK(moved.front() == 1.0);
  CHECK(moved.back() == 0.0);
  CHECK(moved[1] == doctest::Approx(0.5 - 0.5 * 0.3 / 0.7));
}

}  // namespace tempering_ladder_test
