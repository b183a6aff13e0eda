// Sums over the couplings that exist, for one row and for many, against sums over a matrix.
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/models/sparse_lateral.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace sparse_lateral_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index row_counts[] = {1, 3, 4, 8, 11, 33, 34, 35, 70};

/// A graph of more columns than a panel has, near pairs and far ones, with its matrix.
struct Graph {
  static constexpr Index columns = 450;
  std::vector<CoupledColumns> pairs;
  std::vector<Real> entries;
  Matrix<double> matrix = zeros<double>(columns, columns);
  SparseLateral sparse;

  /// `shared`: how many numbers all pairs have together; 0: each its own.
  explicit Graph(Index shared) : sparse(some_pairs(shared), columns, 1) {
    std::mt19937_64 random(4);
    for (Real& e : entries) e = static_cast<Real>(random() % 1000) / Real{256} - Real{2};
    sparse.refresh(entries.data());
    for (const CoupledColumns& p : pairs) matrix(p.a, p.b) = matrix(p.b, p.a) = static_cast<double>(entries[p.entry]);
  }

 private:
  std::vector<CoupledColumns> some_pairs(Index shared) {
    for (std::uint32_t a = 0; a < columns; ++a)
      for (const std::uint32_t step : {1u, 20u, 200u + a % 7})
        if (a + step < columns) pairs.push_back({a, a + step, shared == 0 ? pairs.size() : pairs.size() % shared});
    entries.resize(shared == 0 ? pairs.size() : shared);
    return pairs;
  }
};

template <class T>
std::vector<T> numbers(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(normal(random));
  return x;
}

template <class T>
void check_fields(const Graph& graph) {
  constexpr Index n = Graph::columns;
  for (const Index rows : row_counts) {
    CAPTURE(rows);
    const std::vector<T> x = numbers<T>(rows * n, rows);
    for (const T keep : {T{0}, T{1}, T{-0.5}}) {
      std::vector<T> out = numbers<T>(rows * n, 1), before = out;
      if (keep == 0) out[7] = std::numeric_limits<T>::quiet_NaN();
      graph.sparse.add_fields<T>({x.data(), rows, n, n}, keep, {out.data(), rows, n, n});
      bool same = true;
      double off = 0.0;
      for (Index r = 0; r < rows; ++r)
        for (Index c = 0; c < n; ++c) {
          const T kept = keep == 0 ? T{0} : keep * before[r * n + c];
          same = same && out[r * n + c] == kept + graph.sparse.field(&x[r * n], c);
          double sum = static_cast<double>(kept);
          for (Index j = 0; j < n; ++j) sum += graph.matrix(c, j) * static_cast<double>(x[r * n + j]);
          off = std::max(off, std::abs(static_cast<double>(out[r * n + c]) - sum));
        }
      CHECK(same);
      CHECK(off <= rounding<T>(16.0, 32.0));
    }
  }
}

}  // namespace

TEST_CASE("fields over couplings that exist are products with their matrix, and of a row the same bits among others") {
  const Graph graph(0);
  check_fields<double>(graph);
  check_fields<float>(graph);
}

TEST_CASE("energies over couplings that exist are quadratic forms of their matrix") {
  const Graph graph(0);
  constexpr Index n = Graph::columns;
  for (const Index rows : row_counts) {
    CAPTURE(rows);
    const std::vector<double> x = numbers<double>(rows * n, rows);
    std::vector<double> all(rows, 2.0);
    graph.sparse.add_quadratic_forms(-1.5, {x.data(), rows, n, n}, all);
    for (Index r = 0; r < rows; ++r) {
      double one = 2.0, sum = 0.0;
      graph.sparse.add_quadratic_forms(-1.5, {&x[r * n], 1, n, n}, {&one, 1});
      CHECK(all[r] == one);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) sum += x[r * n + i] * graph.matrix(i, j) * x[r * n + j];
      CHECK(std::abs(all[r] - (2.0 - 0.75 * sum)) <= rounding<double>(64.0, 4e3));
    }
  }
}

TEST_CASE("gradients over couplings that exist are sums of products over rows, on any number of threads") {
  constexpr Index n = Graph::columns;
  for (const Index shared : {Index{0}, Index{2}}) {
    CAPTURE(shared);
    const Graph graph(shared);
    for (const Index rows : row_counts) {
      CAPTURE(rows);
      const std::vector<Real> x = numbers<Real>(rows * n, rows);
      const std::vector<double> weights = numbers<double>(rows, 50 + rows);
      std::vector<double> expected(graph.entries.size(), 3.0), size(expected.size(), 3.0);
      for (const CoupledColumns& p : graph.pairs)
        for (Index r = 0; r < rows; ++r) {
          const double product = weights[r] * static_cast<double>(x[r * n + p.a]) * static_cast<double>(x[r * n + p.b]);
          expected[p.entry] -= product;
          size[p.entry] += std::abs(product);
        }
      std::vector<Real> one(expected.size(), Real{3}), three = one;
      graph.sparse.add_gradient({x.data(), rows, n, n}, weights, one, Executor(1));
      graph.sparse.add_gradient({x.data(), rows, n, n}, weights, three, Executor(3));
      CHECK(one == three);
      bool near = true;
      for (Index e = 0; e < one.size(); ++e)
        near = near && std::abs(static_cast<double>(one[e]) - expected[e]) <= rounding(8.0, size[e]);
      CHECK(near);
    }
  }
}

}  // namespace sparse_lateral_test
