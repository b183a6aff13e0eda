// Products with matrices of bits over sizes, chains and densities: the way that is taken by itself against BLAS, in turns. A line
// of commas each: product, n (n x n couplings), chains, share of ones, microseconds by itself, of gemm, and gemm's over these; then, as
// what is taken depends on it, gemm's over those of sparse sums, and of sums of integers (0 where there are no instructions for them).
//
//   build/bench/bin/bench_product_sweep [--busy] > products.csv
//
// A machine that has other work gives no figures: it is refused unless --busy is given.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>

namespace {

using namespace harmonium;

std::vector<float> numbers(Index n) {
  std::mt19937 words(1);
  std::uniform_real_distribution<float> number(-0.1f, 0.1f);
  std::vector<float> x(n);
  for (float& v : x) v = number(words);
  return x;
}

std::vector<float> bits(Index n, double density) {
  std::mt19937 words(2);
  std::bernoulli_distribution one(density);
  std::vector<float> x(n);
  for (float& v : x) v = one(words) ? 1.0f : 0.0f;
  return x;
}

/// Seconds of `repeats` calls.
template <class Call>
double seconds(int repeats, const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < repeats; ++k) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The smallest times of all ways, in turns, for a fifth of a second or six turns, whichever is more.
template <class Call>
void compare(const char* product, Index n, Index chains, double density, const Call& call) {
  std::vector<ProductWay> ways{ProductWay::automatic, ProductWay::gemm, ProductWay::sparse_sums};
  if (instruction_set().find('+') != std::string_view::npos) ways.push_back(ProductWay::integer_tiles);
  std::vector<double> best(4, std::numeric_limits<double>::infinity());
  double spent = 0.0;
  const int repeats = std::max(1, static_cast<int>(2e-3 / seconds(1, [&] { call(ProductWay::gemm); })));
  for (int turn = 0; turn < 6 || spent < 0.2; ++turn)
    for (Index k = 0; k < ways.size(); ++k) {
      const double taken = seconds(repeats, [&] { call(ways[k]); });
      best[k] = std::min(best[k], taken / repeats);
      spent += taken;
    }
  const double gemm = best[1];
  std::printf("%s,%zu,%zu,%g,%.2f,%.2f,%.3f,%.3f,%.3f\n", product, n, chains, density, 1e6 * best[0], 1e6 * gemm,
              gemm / best[0], gemm / best[2], gemm / best[3]);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  double load = 0.0;
  const bool busy = argc > 1 && std::strcmp(argv[1], "--busy") == 0;
  if (!busy && getloadavg(&load, 1) == 1 && load > 0.5) {
    std::fprintf(stderr,
                 "The load of the last minute is %.1f: other work would be measured too. Wait, or add --busy.\n", load);
    return 1;
  }
  std::printf("product,n,chains,ones,automatic_us,gemm_us,ratio,sparse_sums,integer_tiles\n");
  constexpr Index most = 5000, most_chains = 4096;
  const std::vector<float> w = numbers(most * most), means = numbers(most_chains * most);
  std::vector<float> out(std::max(most * most, most_chains * most));
  for (const Index n : {100, 200, 500, 1000, 2000, 5000})
    for (const Index chains : {1, 16, 128, 512, 4096}) {
      if (n * n * chains > 26'000'000'000) continue;  // a fifth of a second is long enough
      for (const double density : {0.02, 0.05, 0.13, 0.3, 0.5}) {
        const std::vector<float> x = bits(chains * n, density);
        const MatrixView<const float> states{x.data(), chains, n, n}, of_w{w.data(), n, n, n};
        const MatrixView<float> fields{out.data(), chains, n, n}, gradient{out.data(), n, n, n};
        for (const Transpose op : {Transpose::no, Transpose::yes})
          compare(op == Transpose::no ? "fields" : "fields_transposed", n, chains, density,
                  [&](ProductWay way) { state_product(states, op, of_w, 0.0f, fields, way); });
        compare("gradient", n, chains, density, [&](ProductWay way) {
          add_state_outer_products(-1e-6f, states, {means.data(), chains, n, n}, gradient, way);
        });
      }
    }
}
