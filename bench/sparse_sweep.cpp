// A sweep of a lattice on which each unit has 16 neighbors: 269,568 units in two classes, as published rates are told of.
// Counter ns: nanoseconds an update of a unit, one thread.
//
//   build/bench/bin/bench_sparse_sweep
#include <array>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <harmonium/framework/kernels/kernels.hpp>

namespace {

using namespace harmonium;

constexpr Index height = 416, width = 648, units = height * width, degree = 16;

/// Couplings of a torus whose offsets all lead from even places to odd ones.
struct Lattice {
  std::vector<std::uint32_t> order, neighbor;
  std::vector<Index> class_end, begin;
  std::vector<float> value;

  Lattice() : begin{0} {
    constexpr std::array<std::array<Index, 2>, 4> offsets{{{0, 1}, {4, 1}, {8, 7}, {14, 9}}};
    std::mt19937 words(1);
    std::normal_distribution<float> normal(0.0f, 0.25f);
    for (Index i = 0; i < units; ++i) {
      const Index y = i / width, x = i % width;
      const auto at = [&](Index dy, Index dx) { return (y + dy) % height * width + (x + dx) % width; };
      for (const auto& [dy, dx] : offsets)
        for (const Index j : {at(dy, dx), at(dx, width - dy), at(height - dy, width - dx), at(height - dx, dy)})
          neighbor.push_back(static_cast<std::uint32_t>(j));
      for (Index e = 0; e < degree; ++e) value.push_back(normal(words));
      begin.push_back(neighbor.size());
    }
    for (const Index parity : {0, 1}) {
      for (Index i = 0; i < units; ++i)
        if ((i / width + i % width) % 2 == parity) order.push_back(static_cast<std::uint32_t>(i));
      class_end.push_back(order.size());
    }
  }
  SparseCoupling<float> view() const {
    return {order.data(), class_end.data(), class_end.size(), begin.data(), neighbor.data(), value.data()};
  }
};

void lattice_sweep(benchmark::State& state) {
  static const Lattice lattice;
  const auto chains = static_cast<Index>(state.range(0));
  std::vector<float> x(chains * units, 0.0f), scratch(sweep_scratch(units));
  const CoupledUnits<float> coupled{};
  DrawBlock block{.key = 1};
  for (auto _ : state) {
    kernels().f32.sparse_sweep(block, lattice.view(), coupled, {x.data(), chains, units, units}, scratch.data());
    ++block.step;
  }
  const double updates = static_cast<double>(state.iterations()) * static_cast<double>(chains * units);
  state.counters["ns"] = benchmark::Counter(updates * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(lattice_sweep)->ArgName("chains")->Arg(1)->Arg(4)->Arg(16)->Arg(64);

}  // namespace
