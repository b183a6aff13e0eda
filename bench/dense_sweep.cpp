// A sweep of a layer of units that are all coupled to each other, beside what it is measured against in the same run: a
// chain that computes one cblas_sdot a unit (counter of_dot: how many times as many units a second), and one sgemm of
// the same size (of_sgemm).
//
//   build/bench/bin/bench_dense_sweep [--benchmark_filter=REGEX]
//
// The smallest time of the repetitions counts, where a machine has other work too.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <xtensor-blas/xblas.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/kernels/coupled_sweep.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/samplers/gibbs.hpp>

namespace {

using namespace harmonium;

/// A fully visible machine whose units change often: couplings of deviation `strength`/√n, and biases by which about such a share of
/// the units is 1.
std::unique_ptr<LayeredModel> machine(Index units, float strength = 1.0f, double share = 0.5) {
  LayerGraph graph;
  graph.layers = {{"visible", units, std::make_shared<BinaryUnit>(), Role::observed}};
  graph.couplings = {{0, 0}};
  auto model = std::make_unique<LayeredModel>(std::move(graph));
  std::mt19937 words(1);
  std::normal_distribution<float> normal(0.0f, strength / std::sqrt(static_cast<float>(units)));
  model->update_parameters([&](std::span<Real> theta) {
    std::fill_n(theta.begin(), units, static_cast<Real>(std::log(share / (1.0 - share))));
    const MatrixRef l = model->parameter_layout().view(1, theta.data());
    for (Index i = 0; i < units; ++i)
      for (Index j = 0; j < i; ++j) l(i, j) = l(j, i) = normal(words);
  });
  return model;
}

/// One sweep of each of `rows` chains as a careful person would write it: a dot product a unit, from BLAS.
void sweep_by_dots(const LayeredModel& model, std::mt19937& words, std::vector<float>& state, Index rows) {
  const Index n = model.layout()[LayerId{0}].size;
  const Real* bias = model.parameters().data();
  const ConstMatrixRef l = model.parameter_layout().view(1, model.parameters().data());
  for (Index r = 0; r < rows; ++r) {
    float* x = &state[r * n];
    for (Index i = 0; i < n; ++i) {
      const float field = bias[i] + cblas_sdot(static_cast<int>(n), l.row(i), 1, x, 1);
      x[i] = static_cast<float>(words()) * 0x1p-32f * (1.0f + std::exp(-field)) < 1.0f ? 1.0f : 0.0f;
    }
  }
}

/// Seconds of `body`, the smallest of `rounds`.
template <class Body>
double min_time(int rounds, const Body& body) {
  double min = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    body();
    min = std::min(min, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return min;
}

/// Units a second by dot products, and operations a second of sgemm, for this many units: one thread, best of several.
struct Yardsticks {
  Index units;
  double dots, sgemm;
};
const Yardsticks& yardsticks(Index n) {
  static std::vector<Yardsticks> known;
  for (const Yardsticks& each : known)
    if (each.units == n) return each;
  const auto model = machine(n);
  constexpr Index rows = 16, wide = 256;
  std::mt19937 words(1);
  std::vector<float> state(wide * n), out(wide * n);
  const double dots = min_time(60, [&] { sweep_by_dots(*model, words, state, rows); });
  const ConstMatrixRef l = model->parameter_layout().view(1, model->parameters().data());
  const double sgemm = min_time(60, [&] {
    gemm(Transpose::no, Transpose::no, 1.0f, {state.data(), wide, n, n}, l, 0.0f, {out.data(), wide, n, n});
  });
  known.push_back({n, static_cast<double>(rows * n) / dots, 2.0 * static_cast<double>(wide * n * n) / sgemm});
  return known.back();
}

/// Sets the counters of a benchmark, from the smallest time of its iterations.
template <class Body>
void measure(benchmark::State& state, Index units, Index rows, const Body& body) {
  const Yardsticks& beside = yardsticks(units);
  double min = 1e300;
  for (auto _ : state) {
    const double seconds = min_time(1, body);
    state.SetIterationTime(seconds);
    min = std::min(min, seconds);
  }
  const double speed = static_cast<double>(rows * units) / min;
  state.counters["units/us"] = speed * 1e-6;
  state.counters["of_dot"] = speed / beside.dots;
  state.counters["of_sgemm"] = speed * 2.0 * static_cast<double>(units) / beside.sgemm;
}

/// A step of the Gibbs sampler.
void gibbs_step(benchmark::State& state) {
  const auto units = static_cast<Index>(state.range(0)), rows = static_cast<Index>(state.range(1));
  const Executor threads(static_cast<int>(state.range(2)));
  const Execution execution{threads, {.seed = 1}};
  const auto model = machine(units);
  Chains chains(model->layout(), rows);
  Gibbs gibbs;
  measure(state, units, rows, [&] { gibbs.advance(Target{*model}, chains, 1, execution); });
}
BENCHMARK(gibbs_step)
    ->ArgNames({"units", "chains", "threads"})
    ->ArgsProduct({{1000}, {512}, {1, 2}})
    ->ArgsProduct({{1000}, {1, 32, 100}, {1}})
    ->ArgsProduct({{100, 1024, 4000}, {512}, {1}})
    ->UseManualTime();

/// Sweeps by sums over ones and by products, in turns, of states that go on, so that units change as they do in a run: `of_products` is how
/// many times as fast as products, and `taken` whether this is what is taken by itself.
void sums_of_ones(benchmark::State& state, const Kernels* kernels) {
  const auto units = static_cast<Index>(state.range(0)), rows = static_cast<Index>(state.range(1));
  const auto model = machine(units, 0.3f, static_cast<double>(state.range(2)) / 100.0);
  CoupledUnits<float> coupled{model->parameter_layout().view(1, model->parameters().data())};
  coupled.bias = model->parameters().data();
  std::vector<float> by_sums(rows * units), by_products(rows * units);
  DrawBlock words{.key = 1};
  const auto sweep = [&](std::vector<float>& x, ProductWay way) {
    ++words.step;
    sweep_coupled(kernels->f32, words, coupled, {x.data(), rows, units, units}, way);
  };
  double sums = 1e300, products = 1e300;
  for (auto _ : state) {
    products = std::min(products, min_time(1, [&] { sweep(by_products, ProductWay::gemm); }));
    const double seconds = min_time(1, [&] { sweep(by_sums, ProductWay::sparse_sums); });
    state.SetIterationTime(seconds);
    sums = std::min(sums, seconds);
  }
  double ones = 0.0;
  for (const float x : by_sums) ones += static_cast<double>(x);
  const double share = ones / static_cast<double>(rows * units);
  state.counters["units/us"] = static_cast<double>(rows * units) / sums * 1e-6;
  state.counters["of_products"] = products / sums;
  state.counters["ones"] = share;
  state.counters["taken"] = share < CostOfSweeps::of(kernels->name).limit(rows, units) ? 1.0 : 0.0;
}
[[maybe_unused]] const bool sums_registered = [] {
  for (const Kernels* kernels : available_kernels())
    benchmark::RegisterBenchmark(("sums_of_ones/" + std::string(kernels->name)).c_str(),
                                 [kernels](benchmark::State& state) { sums_of_ones(state, kernels); })
        ->ArgNames({"units", "chains", "percent"})
        ->ArgsProduct({{200, 1000, 4000}, {1, 16, 256}, {2, 13, 30, 50}})
        ->UseManualTime();
  return true;
}();

/// The kernel by itself on each instruction set this machine has.
[[maybe_unused]] const bool registered = [] {
  for (const Kernels* kernels : available_kernels())
    benchmark::RegisterBenchmark(("kernel/" + std::string(kernels->name)).c_str(), [kernels](benchmark::State& state) {
      constexpr Index units = 1000, rows = 512;
      const auto model = machine(units);
      CoupledUnits<float> coupled{model->parameter_layout().view(1, model->parameters().data())};
      coupled.bias = model->parameters().data();
      std::vector<float> x(rows * units), scratch(sweep_scratch(units));
      DrawBlock words{.key = 1};
      measure(state, units, rows, [&] {
        ++words.step;
        kernels->f32.sweep(words, coupled, {x.data(), rows, units, units}, scratch.data());
      });
    })->UseManualTime();
  return true;
}();

}  // namespace
