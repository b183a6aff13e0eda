// Products with matrices of bits, by sparse sums and by BLAS in turns: fields of one layer from the states of the other, and the
// outer products of a gradient, over densities. One line each: microseconds of both, and their ratio (minima of many).
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
#include <harmonium/framework/kernels/kernels.hpp>

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

template <class Call>
void compare(const char* what, double density, const Call& call) {
  double sparse = std::numeric_limits<double>::infinity(), gemm = sparse;
  for (int round = 0; round < 60; ++round) {
    sparse = std::min(sparse, microseconds([&] { call(ProductWay::sparse_sums); }));
    gemm = std::min(gemm, microseconds([&] { call(ProductWay::gemm); }));
  }
  std::printf("%-22s %5.2f %9.1f %9.1f %6.2f\n", what, density, sparse, gemm, gemm / sparse);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, Index otherwise) {
    return argc > i ? static_cast<Index>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const Index visible = number(1, 784), hidden = number(2, 500), chains = number(3, 100);
  std::printf("%zu x %zu, %zu chains, kernels %s, %s\n", visible, hidden, chains, std::string(kernels().name).c_str(),
              blas_name());
  std::printf("%-22s %5s %9s %9s %6s\n", "product", "ones", "sums us", "gemm us", "ratio");
  const std::vector<float> w = weights(visible * hidden), means = weights(chains * hidden);
  std::vector<float> out(std::max({chains * visible, chains * hidden, visible * hidden}));
  const MatrixView<const float> of_w{w.data(), visible, hidden, hidden}, of_means{means.data(), chains, hidden, hidden};
  for (const double density : {0.02, 0.05, 0.1, 0.13, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8}) {
    const std::vector<float> v = bits(chains * visible, density), h = bits(chains * hidden, density);
    const MatrixView<const float> of_v{v.data(), chains, visible, visible}, of_h{h.data(), chains, hidden, hidden};
    compare("visible to hidden", density, [&](ProductWay way) {
      state_product(of_v, Transpose::no, of_w, 0.0f, {out.data(), chains, hidden, hidden}, way);
    });
    compare("hidden to visible", density, [&](ProductWay way) {
      state_product(of_h, Transpose::yes, of_w, 0.0f, {out.data(), chains, visible, visible}, way);
    });
    compare("gradient", density, [&](ProductWay way) {
      add_state_outer_products(-1e-3f, of_v, of_means, {out.data(), visible, hidden, hidden}, way);
    });
  }
}
