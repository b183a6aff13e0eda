// Products with matrices of states: exact where all sums are, the same bits on all instruction sets, however they are cut.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>
#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/tests/support/kernels.hpp>

namespace bit_products_test {

using namespace harmonium;

namespace {

std::mt19937 words(3);

template <class T = float>
std::vector<T> bits(Index n, double density) {
  std::bernoulli_distribution one(density);
  std::vector<T> x(n);
  for (T& v : x) v = one(words) ? T{1} : T{0};
  return x;
}

/// Multiples of 2^-10 below 1, sums of thousands of which are exact in single precision.
template <class T = float>
std::vector<T> coarse(Index n) {
  std::uniform_int_distribution<int> step(-1023, 1023);
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(step(words)) / T{1024};
  return x;
}

template <class T = float>
std::vector<T> normals(Index n) {
  std::normal_distribution<T> normal(T{0}, T(0.3));
  std::vector<T> x(n);
  for (T& v : x) v = normal(words);
  return x;
}

template <class T>
double product_at(MatrixView<const T> x, Transpose op, MatrixView<const T> w, Index r, Index c) {
  double sum = 0.0;
  for (Index i = 0; i < x.cols; ++i)
    sum += static_cast<double>(x(r, i)) * static_cast<double>(op == Transpose::yes ? w(c, i) : w(i, c));
  return sum;
}

struct Shape {
  Index rows, inner, cols;
};

const Shape shapes[] = {{1, 1, 1},   {3, 17, 5},     {4, 64, 64},   {5, 100, 63}, {8, 33, 65},
                        {7, 70, 16}, {12, 131, 130}, {33, 40, 200}, {2, 600, 31}};

}  // namespace

TEST_CASE_TEMPLATE(
    "fields by sparse sums are exact where every sum is, whatever the sizes, the density and what stood there", T,
    float, double) {
  for (const Shape& shape : shapes)
    for (const double density : {0.0, 0.1, 0.5, 0.9, 1.0})
      for (const Transpose op : {Transpose::no, Transpose::yes}) {
        const Index rows = shape.rows, inner = shape.inner, cols = shape.cols;
        CAPTURE(rows);
        CAPTURE(inner);
        CAPTURE(cols);
        CAPTURE(density);
        // Rows that are longer than they are used: a view of a larger matrix.
        const Index pad = 3;
        const std::vector<T> states = bits<T>(rows * (inner + pad), density);
        const Index tall = op == Transpose::yes ? cols : inner, wide = op == Transpose::yes ? inner : cols;
        const std::vector<T> numbers = coarse<T>(tall * (wide + pad));
        const MatrixView<const T> x{states.data(), rows, inner, inner + pad}, w{numbers.data(), tall, wide, wide + pad};
        std::vector<T> before = coarse<T>(rows * (cols + pad)), over(before.size());
        std::ranges::fill(over, std::numeric_limits<T>::quiet_NaN());
        std::vector<T> added = before;
        state_product(x, op, w, T{0}, {over.data(), rows, cols, cols + pad}, ProductWay::sparse_sums);
        state_product(x, op, w, T{1}, {added.data(), rows, cols, cols + pad}, ProductWay::sparse_sums);
        Index wrong = 0;
        for (Index r = 0; r < rows; ++r)
          for (Index c = 0; c < cols + pad; ++c) {
            const Index at = r * (cols + pad) + c;
            if (c >= cols) {  // beyond the view nothing is written
              wrong += added[at] == before[at] && std::isnan(over[at]) ? 0 : 1;
              continue;
            }
            const auto exact = static_cast<T>(product_at(x, op, w, r, c));
            wrong += over[at] == exact && added[at] == before[at] + exact ? 0 : 1;
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE_TEMPLATE("outer products of states by sparse sums are exact where every sum is", T, float, double) {
  for (const Shape& shape : shapes)
    for (const double density : {0.0, 0.2, 0.7, 1.0}) {
      const Index rows = shape.rows, inner = shape.inner, cols = shape.cols;
      CAPTURE(rows);
      CAPTURE(inner);
      CAPTURE(cols);
      const std::vector<T> states = bits<T>(inner * rows, density), numbers = coarse<T>(inner * cols);
      const MatrixView<const T> a{states.data(), inner, rows, rows}, b{numbers.data(), inner, cols, cols};
      const std::vector<T> before = coarse<T>(rows * cols);
      std::vector<T> found = before;
      add_state_outer_products(-T(0.25), a, b, {found.data(), rows, cols, cols}, ProductWay::sparse_sums);
      Index wrong = 0;
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j) {
          double sum = 0.0;
          for (Index r = 0; r < inner; ++r) sum += static_cast<double>(a(r, i)) * static_cast<double>(b(r, j));
          wrong += found[i * cols + j] == before[i * cols + j] - T(0.25) * static_cast<T>(sum) ? 0 : 1;
        }
      CHECK(wrong == 0);
    }
}

TEST_CASE_TEMPLATE("states that are no bits are multiplied, wherever one stands", T, float, double) {
  const Index rows = 3, n = 35, cols = 7;
  const std::vector<T> numbers = coarse<T>(n * cols), tall = coarse<T>(rows * cols);
  const MatrixView<const T> w{numbers.data(), n, cols, cols}, b{tall.data(), rows, cols, cols};
  const auto same = [](const std::vector<T>& one, const std::vector<T>& other) {
    return std::ranges::equal(one, other, [](T p, T q) { return p == q || (std::isnan(p) && std::isnan(q)); });
  };
  for (const T odd : {T(0.5), T{2}, -T{1}, std::numeric_limits<T>::quiet_NaN()})
    for (Index at = 0; at < n; ++at) {
      CAPTURE(at);
      std::vector<T> states = bits<T>(rows * n, 0.3);
      states[n + at] = odd;
      const MatrixView<const T> x{states.data(), rows, n, n};
      std::vector<T> sums(rows * cols), products(rows * cols), outer(n * cols), outer_products(n * cols);
      state_product(x, Transpose::no, w, T{0}, {sums.data(), rows, cols, cols}, ProductWay::sparse_sums);
      state_product(x, Transpose::no, w, T{0}, {products.data(), rows, cols, cols}, ProductWay::gemm);
      CHECK(same(sums, products));
      add_state_outer_products(T{1}, x, b, {outer.data(), n, cols, cols}, ProductWay::sparse_sums);
      add_state_outer_products(T{1}, x, b, {outer_products.data(), n, cols, cols}, ProductWay::gemm);
      CHECK(same(outer, outer_products));
    }
}

TEST_CASE_TEMPLATE("the default takes sums up to the limit and products above it", T, float, double) {
  const CostOfProducts cost = CostOfProducts::here(std::is_same_v<T, double>);
  const Index rows = 64, inner = 300, cols = 200;
  const std::vector<T> numbers = normals<T>(inner * cols), tall = normals<T>(rows * cols);
  const MatrixView<const T> w{numbers.data(), inner, cols, cols}, b{tall.data(), rows, cols, cols};
  // Ones in so many of the first rows: how they are spread makes no difference.
  const auto made = [&](double share, bool outer, ProductWay way) {
    std::vector<T> states(rows * inner, T{0});
    std::fill_n(states.begin(), static_cast<Index>(share * static_cast<double>(states.size())), T{1});
    const MatrixView<const T> x{states.data(), rows, inner, inner};
    std::vector<T> out((outer ? inner : rows) * cols, T{0});
    if (outer) add_state_outer_products(T(0.3), x, b, {out.data(), inner, cols, cols}, way);
    else state_product(x, Transpose::no, w, T{0}, {out.data(), rows, cols, cols}, way);
    return out;
  };
  for (const bool outer : {false, true}) {
    CAPTURE(outer);
    const ProductShape shape = outer ? ProductShape{inner, rows, cols, ProductShape::of_outer_product}
                                     : ProductShape{rows, inner, cols, ProductShape::as_it_is};
    const double limit = cost.limit(shape);
    if (limit < 0.02) continue;  // sums never: of kernels that are older than BLAS's
    const double below = 0.97 * std::min(limit, 0.98), above = 1.03 * limit;
    CHECK(made(below, outer, ProductWay::automatic) == made(below, outer, ProductWay::sparse_sums));
    CHECK(made(below, outer, ProductWay::gemm) != made(below, outer, ProductWay::sparse_sums));
    if (above >= 1.0) continue;  // sums cost less at every density: of the oldest kernels
    CHECK(made(above, outer, ProductWay::automatic) == made(above, outer, cost.dense_way(shape)));
  }
}

TEST_CASE_TEMPLATE("sparse sums give the same bits however rows and columns are cut", T, float, double) {
  const Index rows = 21, inner = 300, cols = 150;
  const std::vector<T> states = bits<T>(rows * inner, 0.6), numbers = normals<T>(inner * cols);
  const MatrixView<const T> x{states.data(), rows, inner, inner}, w{numbers.data(), inner, cols, cols};
  std::vector<T> whole(rows * cols), cut(rows * cols);
  state_product(x, Transpose::no, w, T{0}, {whole.data(), rows, cols, cols}, ProductWay::sparse_sums);
  const MatrixView<T> out{cut.data(), rows, cols, cols};
  for (Index r = 0; r < rows; r += 5)
    for (Index c = 0; c < cols; c += 37) {
      const Index last = std::min(r + 5, rows), end = std::min(c + 37, cols);
      state_product(x.slice(r, last), Transpose::no, w.columns(c, end), T{0}, out.slice(r, last).columns(c, end),
                    ProductWay::sparse_sums);
    }
  CHECK(whole == cut);
}

TEST_CASE_TEMPLATE("all instruction sets list and add alike", T, float, double) {
  const Index inner = 203, cols = 8;  // no more than the narrowest panel has
  const std::vector<T> states = bits<T>(inner, 0.4), numbers = normals<T>(inner * cols);
  const MatrixView<const T> w{numbers.data(), inner, cols, cols};
  std::vector<T> turned(inner * cols);
  for (Index i = 0; i < inner; ++i)
    for (Index c = 0; c < cols; ++c) turned[c * inner + i] = w(i, c);
  std::vector<std::vector<T>> sums;
  for (const Kernels* each : available_kernels()) {
    const SparseSums<T>& k = testing::half_of<T>(*each).sums;
    std::vector<std::uint16_t> list(inner + 16);
    const Index count = k.list_ones(states.data(), inner, list.data());
    CHECK(count == k.count_ones(states.data(), inner));
    std::vector<Index> ones;
    for (Index i = 0; i < inner; ++i)
      if (states[i] == T{1}) ones.push_back(i);
    CHECK(std::ranges::equal(ones, std::span(list).first(count)));
    std::vector<T> packed(inner * k.columns), packed_turned(inner * k.columns);
    k.pack(w, packed.data());
    k.pack_transposed({turned.data(), cols, inner, inner}, packed_turned.data());
    CHECK(packed == packed_turned);
    const Index begin[] = {0, count};
    std::vector<T> out(cols);
    k.add({list.data(), begin, begin + 1}, packed.data(), k.columns, {T(0.7), T{0}}, {out.data(), 1, cols, cols});
    sums.push_back(out);
  }
  for (const auto& other : sums) CHECK(other == sums[0]);
}

TEST_CASE("sparse sums are no further from double precision than a product is") {
  const Index rows = 50, inner = 784, cols = 100;
  for (const double density : {0.13, 0.5}) {
    const std::vector<float> states = bits(rows * inner, density), numbers = normals(inner * cols);
    const MatrixView<const float> x{states.data(), rows, inner, inner}, w{numbers.data(), inner, cols, cols};
    const auto error = [&](ProductWay way) {
      std::vector<float> out(rows * cols);
      state_product(x, Transpose::no, w, 0.0f, {out.data(), rows, cols, cols}, way);
      double sum = 0.0;
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < cols; ++c) {
          const double miss = static_cast<double>(out[r * cols + c]) - product_at(x, Transpose::no, w, r, c);
          sum += miss * miss;
        }
      return std::sqrt(sum / static_cast<double>(rows * cols));
    };
    const double sums = error(ProductWay::sparse_sums);
    CAPTURE(density);
    // Two sums in turns round n additions of partial sums of size s √n / 2: some 2^-24 · s n / 4 in all. BLAS, with more partial
    // sums, may be better at one half; never by more than that bound allows.
    CHECK(sums < 0x1p-24 * 0.3 * density * static_cast<double>(inner));
    CHECK(sums < 3.0 * error(ProductWay::gemm));
  }
}

TEST_CASE("an unknown way to make products is a mistake that names the choices") {
  CHECK(product_way_named("") == ProductWay::automatic);
  CHECK(product_way_named("automatic") == ProductWay::automatic);
  CHECK(product_way_named("gemm") == ProductWay::gemm);
  CHECK(product_way_named("sparse_sums") == ProductWay::sparse_sums);
  CHECK(product_way_named("integer_tiles") == ProductWay::integer_tiles);
  CHECK(product_way_named("integer_tiles_16") == ProductWay::integer_tiles_16);
  CHECK_THROWS_WITH_AS(product_way_named("fast"),
                       "environment: variable HARMONIUM_PRODUCTS: 'fast' is no way to make products with states. Say "
                       "automatic, gemm, sparse_sums, integer_tiles or integer_tiles_16, or unset it.",
                       ConfigError);
}

}  // namespace bit_products_test
