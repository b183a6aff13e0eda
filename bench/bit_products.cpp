// Products with matrices of bits, and of gray levels, by sparse sums, by sums of integers of 24 and of 16 bits, and by BLAS, in turns:
// fields of one layer from the states of the other, and the outer products of a gradient, over densities. One line each:
// microseconds (minima of many), how many times as fast as BLAS each is, and the way that is taken by itself.
//
// In double precision there are no sums of integers, and their columns are gemm's.
//
//   build/bench/bin/bench_bit_products [VISIBLE HIDDEN CHAINS [single|double]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>

namespace {

using namespace harmonium;

std::mt19937 words(1);

template <class T>
std::vector<T> weights(Index n) {
  std::normal_distribution<T> normal(T(0), T(0.1));
  std::vector<T> x(n);
  for (T& v : x) v = normal(words);
  return x;
}

template <class T>
std::vector<T> bits(Index n, double density) {
  std::bernoulli_distribution one(density);
  std::vector<T> x(n);
  for (T& v : x) v = one(words) ? T(1) : T(0);
  return x;
}

template <class Call>
double microseconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
const CostOfProducts& cost() {
  static const CostOfProducts found = CostOfProducts::here(std::is_same_v<T, double>);
  return found;
}

/// A share of ones below 0 is said of gray levels, of which there are no sparse sums.
template <class T, class Call>
void compare(const char* what, double density, const ProductShape& shape, const Call& call) {
  constexpr ProductWay ways[] = {ProductWay::gemm, ProductWay::sparse_sums, ProductWay::integer_tiles,
                                 ProductWay::integer_tiles_16};
  double least[4];
  std::ranges::fill(least, std::numeric_limits<double>::infinity());
  for (int round = 0; round < 60; ++round)
    for (int k = 0; k < 4; ++k)
      if (density >= 0.0 || ways[k] != ProductWay::sparse_sums)
        least[k] = std::min(least[k], microseconds([&] { call(ways[k]); }));
  const ProductWay taken =
      density >= 0.0 && density < cost<T>().limit(shape) ? ProductWay::sparse_sums : cost<T>().dense_way(shape);
  std::printf("%-18s %5.2f", what, density);
  for (const double each : least) std::printf(" %9.1f", each);
  for (int k = 1; k < 4; ++k) std::printf(" %6.2f", least[0] / least[k]);
  std::printf("  %s\n", std::string(name_of(taken)).c_str());
  std::fflush(stdout);
}

template <class T>
std::vector<T> grays(Index n) {
  std::uniform_int_distribution<int> level(0, 255);
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(level(words)) / T(255);
  return x;
}

template <class T>
void compare_all(Index visible, Index hidden, Index chains) {
  const std::vector<T> w = weights<T>(visible * hidden), means = weights<T>(chains * hidden);
  std::vector<T> out(std::max({chains * visible, chains * hidden, visible * hidden}));
  const MatrixView<const T> of_w{w.data(), visible, hidden, hidden}, of_means{means.data(), chains, hidden, hidden};
  for (const double density : {0.02, 0.05, 0.1, 0.13, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, -1.0}) {
    const auto states = [&](Index n) { return density < 0.0 ? grays<T>(n) : bits<T>(n, density); };
    const std::vector<T> v = states(chains * visible), h = states(chains * hidden);
    const MatrixView<const T> of_v{v.data(), chains, visible, visible}, of_h{h.data(), chains, hidden, hidden};
    compare<T>("visible to hidden", density, {chains, visible, hidden, ProductShape::as_it_is}, [&](ProductWay way) {
      state_product(of_v, Transpose::no, of_w, T(0), {out.data(), chains, hidden, hidden}, way);
    });
    compare<T>("hidden to visible", density, {chains, hidden, visible, ProductShape::transposed}, [&](ProductWay way) {
      state_product(of_h, Transpose::yes, of_w, T(0), {out.data(), chains, visible, visible}, way);
    });
    compare<T>("gradient", density, {visible, chains, hidden, ProductShape::of_outer_product}, [&](ProductWay way) {
      add_state_outer_products(T(-1e-3), of_v, of_means, {out.data(), visible, hidden, hidden}, way);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, Index otherwise) {
    return argc > i ? static_cast<Index>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const bool in_double = argc > 4 && std::string_view(argv[4]) == "double";
  const Index visible = number(1, 784), hidden = number(2, 500), chains = number(3, 100);
  std::printf("%zu x %zu, %zu chains, %s precision, kernels %s, %s\n", visible, hidden, chains,
              in_double ? "double" : "single", std::string(instruction_set()).c_str(), blas_name());
  std::printf("%-18s %5s %9s %9s %9s %9s %6s %6s %6s\n", "product", "ones", "gemm us", "sums us", "24 bits", "16 bits",
              "sums", "24", "16");
  if (in_double) compare_all<double>(visible, hidden, chains);
  else compare_all<float>(visible, hidden, chains);
}
