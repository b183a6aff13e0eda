// The inner loops, each beside what it is measured against in the same run: matrix products and whole updates against
// BLAS's own speed on the same shape (counter of_sgemm), draws against a plain loop over std::exp.
//
//   build/bench/bin/bench_inner_loops [--benchmark_filter=REGEX]
#include <cmath>
#include <random>

#include <benchmark/benchmark.h>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace {

using namespace harmonium;

constexpr Index num_visible = 784, num_hidden = 500;

std::vector<float> numbers(Index n, float scale = 1.0f) {
  std::mt19937 words(1);
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> x(n);
  for (float& v : x) v = normal(words);
  return x;
}

/// Operations a second of one sgemm, rows × 784 times 784 × 500: the best of several. What this machine's BLAS can do.
double sgemm_speed(Index rows) {
  static std::vector<std::pair<Index, double>> known;
  for (const auto& [n, speed] : known)
    if (n == rows) return speed;
  const std::vector<float> a = numbers(rows * num_visible), b = numbers(num_visible * num_hidden);
  std::vector<float> c(rows * num_hidden);
  double best = 0.0;
  for (int round = 0; round < 40; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 10; ++k)
      gemm(Transpose::no, Transpose::no, 1.0f, {a.data(), rows, num_visible, num_visible},
           {b.data(), num_visible, num_hidden, num_hidden}, 0.0f, {c.data(), rows, num_hidden, num_hidden});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, 10.0 * 2.0 * static_cast<double>(rows * num_visible * num_hidden) / took.count());
  }
  known.emplace_back(rows, best);
  return best;
}

void count_operations(benchmark::State& state, double operations_an_iteration, double sgemm) {
  using benchmark::Counter;
  const double operations = operations_an_iteration * static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = Counter(operations / 1e9, Counter::kIsRate);
  state.counters["of_sgemm"] = Counter(operations / sgemm, Counter::kIsRate);
}

Dataset bits(Index rows) {
  std::mt19937 words(2);
  std::bernoulli_distribution bit(0.2);
  std::vector<std::uint8_t> values(rows * num_visible);
  for (auto& v : values) v = bit(words) ? 1 : 0;
  return Dataset({.rows = rows, .cols = num_visible, .values = std::move(values), .shape = {rows, num_visible}},
                 "bits");
}

/// One update of a contrastive estimator and of plain SGD; five products of the size of W.
void update(benchmark::State& state, ChainStart start) {
  const auto rows = static_cast<Index>(state.range(0));
  const Executor threads(static_cast<int>(state.range(1)));
  const Execution execution{threads, {.seed = 1}};
  const Dataset data = bits(10 * rows);
  const auto model = make_rbm({.num_visible = num_visible, .num_hidden = num_hidden});
  NormalInitializer({}).initialize(*model, &data, execution);
  Contrastive estimator({.positive = std::make_unique<PosteriorMean>(),
                         .negative = std::make_unique<ChainPhase>(
                             ChainPhaseOptions{.start = start, .sampler = std::make_unique<Gibbs>()})});
  Sgd sgd({});
  Batches batches(data, model->layout(), rows, execution.random.child("batches"));
  std::vector<Real> gradient(model->parameter_layout().size());
  const double sgemm = sgemm_speed(rows);
  std::uint64_t k = 0;
  for (auto _ : state) {
    estimator.estimate(*model, batches.batch(k / 10, k % 10, threads), gradient, execution);
    model->update_parameters([&](std::span<Real> theta) {
      sgd.step(theta, gradient, model->parameter_layout(), {k, 1000, 10}, threads);
    });
    ++k;
  }
  count_operations(state, 5.0 * 2.0 * static_cast<double>(rows * num_visible * num_hidden), sgemm);
}
void update_cd1(benchmark::State& state) { update(state, ChainStart::data); }
void update_pcd1(benchmark::State& state) { update(state, ChainStart::persistent); }
BENCHMARK(update_cd1)->ArgNames({"rows", "threads"})->ArgsProduct({{100, 500}, {1, 2}})->UseRealTime();
BENCHMARK(update_pcd1)->ArgNames({"rows", "threads"})->ArgsProduct({{100, 500}, {1, 2}})->UseRealTime();

/// A Gibbs step of every chain: both layers once, two products.
void gibbs_step(benchmark::State& state) {
  const auto rows = static_cast<Index>(state.range(0));
  const Executor threads(static_cast<int>(state.range(1)));
  const Execution execution{threads, {.seed = 1}};
  const auto model = make_rbm({.num_visible = num_visible, .num_hidden = num_hidden});
  NormalInitializer({}).initialize(*model, nullptr, execution);
  Chains chains(model->layout(), rows);
  Gibbs gibbs;
  const double sgemm = sgemm_speed(rows);
  for (auto _ : state) gibbs.advance(Target{*model}, chains, 1, execution);
  count_operations(state, 2.0 * 2.0 * static_cast<double>(rows * num_visible * num_hidden), sgemm);
}
BENCHMARK(gibbs_step)->ArgNames({"rows", "threads"})->ArgsProduct({{100, 500}, {1, 2}})->UseRealTime();

/// log Z by enumeration of 16 hidden units, in double.
void exact_log_z(benchmark::State& state) {
  const Executor threads(1);
  const Execution execution{threads, {.seed = 1}};
  const auto model = make_rbm({.num_visible = num_visible, .num_hidden = 16});
  NormalInitializer({.std = 0.1}).initialize(*model, nullptr, execution);
  for (auto _ : state) benchmark::DoNotOptimize(ExactLogPartition().estimate(*model, 1.0, execution).log_z);
  state.SetItemsProcessed(state.iterations() * (1 << 16));
}
BENCHMARK(exact_log_z);

constexpr Index tile = 256;

/// What the fused kernel replaces: a scalar loop that a careful person would write.
void draw_plain_loop(benchmark::State& state) {
  const std::vector<float> field = numbers(tile * num_hidden), bias = numbers(num_hidden);
  std::vector<float> out(field.size());
  std::mt19937 words(1);
  for (auto _ : state) {
    for (Index r = 0; r < tile; ++r)
      for (Index c = 0; c < num_hidden; ++c) {
        const float p = 1.0f / (1.0f + std::exp(-(field[r * num_hidden + c] + bias[c])));
        out[r * num_hidden + c] = static_cast<float>(words()) * 0x1p-32f < p ? 1.0f : 0.0f;
      }
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(field.size()));
}
BENCHMARK(draw_plain_loop);

template <class Body>
void on_each_level(const char* name, const Body& body) {
  for (const Kernels* kernels : available_kernels())
    benchmark::RegisterBenchmark(
        (std::string(name) + "/" + std::string(kernels->name)).c_str(), [kernels, body](benchmark::State& state) {
          const std::vector<float> field = numbers(tile * num_hidden), bias = numbers(num_hidden);
          std::vector<float> out(field.size());
          std::vector<double> sums(tile);
          const MatrixView<const float> in{field.data(), tile, num_hidden, num_hidden};
          for (auto _ : state) {
            body(*kernels, in, bias.data(), MatrixView<float>{out.data(), tile, num_hidden, num_hidden}, sums.data());
            benchmark::DoNotOptimize(out.data());
            benchmark::DoNotOptimize(sums.data());
          }
          state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(field.size()));
        });
}

/// Elements a second on each instruction set this machine has.
[[maybe_unused]] const bool registered = [] {
  using In = MatrixView<const float>;
  using Out = MatrixView<float>;
  on_each_level("draw", [](const Kernels& k, In in, const float* bias, Out out, double*) {
    k.f32.bernoulli({.key = 1}, in, bias, nullptr, out, {});
  });
  on_each_level("logistic", [](const Kernels& k, In in, const float* bias, Out out, double*) {
    k.f32.logistic(in, bias, nullptr, out);
  });
  on_each_level("softplus_sum", [](const Kernels& k, In in, const float* bias, Out, double* sums) {
    k.f32.softplus_sum(in, bias, nullptr, sums);
  });
  return true;
}();

}  // namespace
