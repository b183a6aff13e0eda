// Products with matrices of bits, and of gray levels, by sparse sums, by sums of integers of 24 and of 16 bits, and by BLAS, in turns:
// fields of one layer from the states of the other, and the outer products of a gradient, over densities. One line each:
// microseconds (minima of many), how many times as fast as BLAS each is, and the way that is taken by itself.
//
//   build/bench/bin/bench_bit_products [VISIBLE HIDDEN CHAINS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>

namespace {

using namespace harmonium;

std::mt19937 words(1);

std::vector<float> weights(Index n) {
  std::normal_distribution<float> normal(0.0f, 0.1f);
  std::vector<float> x(n);
  for (float& v : x) v = normal(words);
  return x;
}

std::vector<float> bits(Index n, double density) {
  std::bernoulli_distribution one(density);
  std::vector<float> x(n);
  for (float& v : x) v = one(words) ? 1.0f : 0.0f;
  return x;
}

template <class Call>
double microseconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

const CostOfProducts& cost() {
  static const CostOfProducts found = CostOfProducts::of(instruction_set(), blas_name());
  return found;
}

/// A share of ones below 0 is said of gray levels, of which there are no sparse sums.
template <class Call>
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
      density >= 0.0 && density < cost().limit(shape) ? ProductWay::sparse_sums : cost().dense_way(shape);
  std::printf("%-18s %5.2f", what, density);
  for (const double each : least) std::printf(" %9.1f", each);
  for (int k = 1; k < 4; ++k) std::printf(" %6.2f", least[0] / least[k]);
  std::printf("  %s\n", std::string(name_of(taken)).c_str());
  std::fflush(stdout);
}

std::vector<float> grays(Index n) {
  std::uniform_int_distribution<int> level(0, 255);
  std::vector<float> x(n);
  for (float& v : x) v = static_cast<float>(level(words)) / 255.0f;
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, Index otherwise) {
    return argc > i ? static_cast<Index>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const Index visible = number(1, 784), hidden = number(2, 500), chains = number(3, 100);
  std::printf("%zu x %zu, %zu chains, kernels %s, %s\n", visible, hidden, chains,
              std::string(instruction_set()).c_str(), blas_name());
  std::printf("%-18s %5s %9s %9s %9s %9s %6s %6s %6s\n", "product", "ones", "gemm us", "sums us", "24 bits", "16 bits",
              "sums", "24", "16");
  const std::vector<float> w = weights(visible * hidden), means = weights(chains * hidden);
  std::vector<float> out(std::max({chains * visible, chains * hidden, visible * hidden}));
  const MatrixView<const float> of_w{w.data(), visible, hidden, hidden}, of_means{means.data(), chains, hidden, hidden};
  for (const double density : {0.02, 0.05, 0.1, 0.13, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, -1.0}) {
    const auto states = [&](Index n) { return density < 0.0 ? grays(n) : bits(n, density); };
    const std::vector<float> v = states(chains * visible), h = states(chains * hidden);
    const MatrixView<const float> of_v{v.data(), chains, visible, visible}, of_h{h.data(), chains, hidden, hidden};
    compare("visible to hidden", density, {chains, visible, hidden, ProductShape::as_it_is}, [&](ProductWay way) {
      state_product(of_v, Transpose::no, of_w, 0.0f, {out.data(), chains, hidden, hidden}, way);
    });
    compare("hidden to visible", density, {chains, hidden, visible, ProductShape::transposed}, [&](ProductWay way) {
      state_product(of_h, Transpose::yes, of_w, 0.0f, {out.data(), chains, visible, visible}, way);
    });
    compare("gradient", density, {visible, chains, hidden, ProductShape::of_outer_product}, [&](ProductWay way) {
      add_state_outer_products(-1e-3f, of_v, of_means, {out.data(), visible, hidden, hidden}, way);
    });
  }
}
