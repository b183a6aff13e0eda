#include <algorithm>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>

#include <harmonium/framework/core/products.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace xtensor_test {

using namespace harmonium;

TEST_CASE("a part of a matrix is an xtensor expression as the whole is, to be read and to be written") {
  for (const Index n : {1, 2, 3}) {
    CAPTURE(n);
    std::vector<double> whole{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const MatrixView<double> part{whole.data(), n, n, 3};
    const xt::xarray<double> copy = as_xtensor(part);
    REQUIRE(copy.size() == n * n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) CHECK(copy(i, j) == whole[i * 3 + j]);
    as_xtensor(part) = -copy;
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j)
        CHECK(whole[i * 3 + j] == (i < n && j < n ? -1.0 : 1.0) * static_cast<double>(i * 3 + j + 1));
  }
}

TEST_CASE("vectors and matrices of a size are zeros, and the same type under every flag") {
  const Matrix<float> m = zeros<float>(2, 3);
  CHECK(std::all_of(m.begin(), m.end(), [](float x) { return x == 0.0F; }));
  CHECK(std::is_same_v<Vector<double>::allocator_type, ZeroedAllocator<double>>);
  CHECK(zeros<double>(0).size() == 0);
}

TEST_CASE("numbers are assigned to in place, also from what they were") {
  std::vector<double> x{1, 2, 3};
  const Vector<double> y = 2.0 * as_xtensor(std::span<const double>(x));
  in_place(std::span(x)) += as_xtensor(std::span<const double>(y));
  CHECK(x == std::vector<double>{3, 6, 9});
  in_place(std::span(x)) = as_xtensor(std::span(x)) - 1.0;
  CHECK(x == std::vector<double>{2, 5, 8});

  Matrix<double> m = zeros<double>(2, 2);
  in_place(row_of(m, 1)) = as_xtensor(std::span<const double>(x).first(2));
  CHECK(m(0, 0) == 0.0);
  CHECK(m(1, 1) == 5.0);
  in_place(as_matrix(m).columns(0, 1)) = xt::ones<double>({2, 1});
  CHECK(m(0, 0) == 1.0);
  CHECK(m(0, 1) == 0.0);
}

TEST_CASE("a sum in order has the bits of the loop") {
  Matrix<double> m = zeros<double>(37, 11);
  double sum = 0.0;
  for (Index i = 0; i < m.size(); ++i) sum += m.data()[i] = 1.0 / (1.0 + static_cast<double>(i));
  CHECK(sum_in_order(m) == sum);
  CHECK(sum_in_order(m * 1.0) == sum);
}

TEST_CASE("a product is that of the matrices") {
  Matrix<double> a = zeros<double>(2, 3), b = zeros<double>(3, 1);
  for (Index i = 0; i < 6; ++i) a.data()[i] = static_cast<double>(i);
  for (Index i = 0; i < 3; ++i) b.data()[i] = static_cast<double>(i + 1);
  const Matrix<double> c = product(a, b);
  CHECK(c.shape(0) == 2);
  CHECK(c.shape(1) == 1);
  CHECK(c(0, 0) == 8.0);
  CHECK(c(1, 0) == 26.0);
}

}  // namespace xtensor_test
