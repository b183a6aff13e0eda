// The gradient of the pseudo likelihood of 1000 rows of n × n spins, on one thread: with couplings of all pairs, of the edges of a
// lattice, of the same edges as a mask, and one for all edges. What few couplings there are should cost no more than all.
//
//   build/bench/bin/bench_neighbor_losses
#include <random>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <harmonium/estimators/gradients/neighbor_loss.hpp>
#include <harmonium/framework/model/parameters.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lateral.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/units/spin.hpp>

namespace {

using namespace harmonium;

enum Couplings { of_pairs, of_edges, masked, of_all_edges };

std::unique_ptr<LayeredModel> spins(Index length, Couplings couplings) {
  const std::vector<Layer> layers{{"spins", length * length, std::make_shared<SpinUnit>(), Role::observed}};
  EnergyTerms terms;
  if (couplings == of_pairs || couplings == masked)
    terms.push_back(std::make_unique<LateralTerm>(LateralTerm::Options{"spins"}));
  else
    terms.push_back(std::make_unique<LatticeTerm>(
        LatticeTerm::Options{.layer = "spins",
                             .shape = {static_cast<double>(length), static_cast<double>(length)},
                             .open_axes = {},
                             .offsets = {},
                             .uniform = couplings == of_all_edges}));
  auto model = std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms)));
  if (couplings == masked) {
    const Index n = length * length;
    std::vector<std::uint8_t> mask(n * n, 0);
    for (Index i = 0; i < n; ++i)
      for (const Index j : {i / length * length + (i + 1) % length, (i + length) % n})
        mask[i * n + j] = mask[j * n + i] = 1;
    model->set_mask(model->parameter_layout().find("weight.spins.spins"), std::move(mask));
  }
  return model;
}

void pseudo_likelihood(benchmark::State& state, Couplings couplings) {
  constexpr Index num_rows = 1000;
  const auto model = spins(static_cast<Index>(state.range(0)), couplings);
  const Executor threads(1);
  const Execution execution{threads, {.seed = 1}};
  Chains rows(model->layout(), num_rows);
  std::mt19937 words(1);
  const MatrixRef x = rows.write(LayerId{0});
  for (Index r = 0; r < num_rows; ++r)
    for (Real& s : x[r]) s = words() % 2 == 0 ? Real{-1} : Real{1};
  const std::vector<double> weights(num_rows, 1.0 / num_rows);
  NeighborLoss loss({"pseudo_likelihood", pseudo_likelihood_loss, true}, {});
  Posterior posterior;
  std::vector<Real> gradient(model->parameters().size());
  for (auto _ : state) loss.estimate(*model, {rows, weights, posterior}, gradient, execution);
}
BENCHMARK_CAPTURE(pseudo_likelihood, of_pairs, of_pairs)->ArgName("length")->Arg(8)->Arg(32);
BENCHMARK_CAPTURE(pseudo_likelihood, of_edges, of_edges)->ArgName("length")->Arg(8)->Arg(32);
BENCHMARK_CAPTURE(pseudo_likelihood, masked, masked)->ArgName("length")->Arg(8)->Arg(32);
BENCHMARK_CAPTURE(pseudo_likelihood, of_all_edges, of_all_edges)->ArgName("length")->Arg(8)->Arg(32);

}  // namespace
