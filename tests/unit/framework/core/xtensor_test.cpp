#include <vector>

#include <doctest/doctest.h>

#include <xtensor/xarray.hpp>

#include <harmonium/framework/core/xtensor.hpp>

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
