#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/blas.hpp>

namespace blas_test {

using namespace harmonium;

namespace {

/// A matrix inside a larger array, whose surroundings must stay what they are.
template <class T>
struct Padded {
  Padded(Index rows, Index cols, std::uint64_t seed) : values((rows + 2) * (cols + 5)), stride(cols + 5) {
    std::mt19937_64 words(seed);
    // Small whole numbers: sums of their products are exact, so that results are compared bit by bit.
    for (T& v : values) v = static_cast<T>(static_cast<int>(words() % 17) - 8);
    view = {values.data() + stride + 2, rows, cols, stride};
  }
  std::vector<T> values;
  Index stride;
  MatrixView<T> view;
};

template <class T>
void compare(Transpose a_op, Transpose b_op, Index m, Index n, Index k, T alpha, T beta) {
  Padded<T> a(a_op == Transpose::no ? m : k, a_op == Transpose::no ? k : m, 1);
  Padded<T> b(b_op == Transpose::no ? k : n, b_op == Transpose::no ? n : k, 2);
  Padded<T> c(m, n, 3), expected(m, n, 3);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      T sum = 0;
      for (Index l = 0; l < k; ++l)
        sum += (a_op == Transpose::no ? a.view(i, l) : a.view(l, i)) *
               (b_op == Transpose::no ? b.view(l, j) : b.view(j, l));
      expected.view(i, j) = alpha * sum + (beta == 0 ? T{0} : beta * expected.view(i, j));
    }
  }
  gemm(a_op, b_op, alpha, MatrixView<const T>(a.view), MatrixView<const T>(b.view), beta, c.view);
  CHECK(c.values == expected.values);
}

template <class T>
void compare_all() {
  for (const Transpose a : {Transpose::no, Transpose::yes})
    for (const Transpose b : {Transpose::no, Transpose::yes})
      for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1}, {3, 4, 5}, {7, 1, 2}, {1, 9, 4}, {33, 20, 65}})
        for (const T alpha : {T{1}, T{-2}})
          for (const T beta : {T{0}, T{1}, T{3}}) compare<T>(a, b, m, n, k, alpha, beta);
}

}  // namespace

TEST_CASE("a product is its sums, transposed, strided, scaled and added, and touches nothing around it") {
  compare_all<double>();
  compare_all<float>();
}

TEST_CASE("beta of 0 overwrites what was there, NaN included") {
  const std::vector<double> one{1, 2};
  for (const Index inner : {Index{0}, Index{1}}) {
    std::vector<double> c(4, std::numeric_limits<double>::quiet_NaN());
    gemm(Transpose::no, Transpose::no, 1.0, {one.data(), 2, inner, 1}, {one.data(), inner, 2, 2}, 0.0,
         {c.data(), 2, 2, 2});
    CHECK(c == (inner ? std::vector<double>{1, 2, 2, 4} : std::vector<double>{0, 0, 0, 0}));
  }
}

TEST_CASE("a sum over nothing leaves beta times what was there, and nothing has no product") {
  std::vector<double> c{1, 2, 3, 4};
  gemm(Transpose::yes, Transpose::no, 1.0, {nullptr, 0, 2, 2}, {nullptr, 0, 2, 2}, 2.0, {c.data(), 2, 2, 2});
  CHECK(c == std::vector<double>{2, 4, 6, 8});
  gemm(Transpose::no, Transpose::no, 1.0, {c.data(), 0, 2, 2}, {c.data(), 2, 2, 2}, 1.0, {nullptr, 0, 2, 2});
}

TEST_CASE("the library names its BLAS") { CHECK(std::string(blas_name()).size() > 0); }

}  // namespace blas_test
