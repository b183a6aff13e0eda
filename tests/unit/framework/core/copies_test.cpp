#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/copies.hpp>

namespace copies_test {

using namespace harmonium;

TEST_CASE("a part of a matrix is copied row by row, converted to the other's type") {
  const std::vector<float> whole{1, 2, 3, 4, 5, 6};
  std::vector<double> out(4, -1.0);
  copy(MatrixView<const float>{whole.data(), 2, 3, 3}.columns(1, 3), MatrixView<double>{out.data(), 2, 2, 2});
  CHECK(out == std::vector<double>{2, 3, 5, 6});
}

TEST_CASE("every row becomes the same") {
  std::vector<double> out(8, 0.0);
  copy_to_rows(std::vector<float>{1, 2}, MatrixView<double>{out.data(), 2, 4, 4}.columns(1, 3));
  CHECK(out == std::vector<double>{0, 1, 2, 0, 0, 1, 2, 0});
}

}  // namespace copies_test
