#include <harmonium/tests/support/spins.hpp>

#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/spin.hpp>

namespace harmonium::testing {

std::unique_ptr<LayeredModel> spins_on(const EdgeList& graph, double sign) {
  auto model = make_fully_visible({.num_visible = graph.num_nodes, .visible_units = std::make_unique<SpinUnit>()});
  const ParameterLayout& layout = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = layout.view(layout.find("weight.visible.visible"), theta.data());
    for (const EdgeList::Edge& e : graph.edges) w(e.a, e.b) = w(e.b, e.a) = static_cast<Real>(sign * e.weight);
  });
  return model;
}

std::unique_ptr<LayeredModel> sparse_spins_on(const EdgeList& graph, double sign) {
  auto model = spins_on(graph, sign);
  model->set_mask(model->parameter_layout().find("weight.visible.visible"), adjacency(graph));
  return model;
}

std::unique_ptr<LayeredModel> ising_torus(Index side) {
  EdgeList graph{side * side, {}};
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j)
      for (const Index to : {i * side + (j + 1) % side, (i + 1) % side * side + j})
        graph.edges.push_back({i * side + j, to, 1.0});
  return spins_on(graph);
}

std::unique_ptr<LayeredModel> curie_weiss(Index n) {
  EdgeList graph{n, {}};
  for (Index a = 0; a < n; ++a)
    for (Index b = a + 1; b < n; ++b) graph.edges.push_back({a, b, 1.0 / static_cast<double>(n)});
  return spins_on(graph);
}

std::unique_ptr<LayeredModel> uniform_rbm(Index num_visible, Index num_hidden, double w, double b, double c) {
  auto model = make_rbm({.num_visible = num_visible, .num_hidden = num_hidden});
  const ParameterLayout& layout = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const auto fill = [&](const char* name, double value) {
      const ParameterBlock& block = layout[layout.find(name)];
      for (Index i = 0; i < block.size(); ++i) theta[block.offset + i] = static_cast<Real>(value);
    };
    fill("weight.visible.hidden", w);
    fill("bias.visible", b);
    fill("bias.hidden", c);
  });
  return model;
}

Chains uniform_start(const EnergyModel& model, const Sampler& sampler, Index logical) {
  const Layout& layout = model.layout();
  Chains chains(layout, logical * sampler.rungs());
  for (Index r = 0; r < chains.size(); ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % sampler.rungs());
  for (const LayerId l : layout.ids())
    layout[l].unit->sample_uniform(DrawBlock::of({71, 72}, 0, 0, l), chains.write(l));
  return chains;
}

std::vector<std::vector<BinningAccumulator>> measure(const EnergyModel& model, Sampler& sampler, double beta,
                                                     Chains& chains, Index burn_in, Index sweeps,
                                                     const std::vector<Measurement>& what, int threads) {
  const Executor executor(threads);
  const Execution execution{executor, {73, 74}};
  Target target{model};
  target.beta = beta;
  sampler.check(target);
  sampler.advance(target, chains, burn_in, execution);
  const Index rungs = sampler.rungs();
  const Index chains_a_rung = chains.size() / rungs;
  const auto logical = static_cast<double>(chains_a_rung);
  std::vector<std::vector<BinningAccumulator>> result(rungs, std::vector<BinningAccumulator>(what.size()));
  std::vector<double> energy(chains.size());
  for (Index s = 0; s < sweeps; ++s) {
    sampler.advance(target, chains, 1, execution);
    model.energy(chains, energy);
    std::vector<double> sums(rungs * what.size(), 0.0);
    for (Index r = 0; r < chains.size(); ++r)
      for (Index i = 0; i < what.size(); ++i)
        sums[chains.rung()[r] * what.size() + i] += what[i](chains, r, energy[r]) / logical;
    for (Index k = 0; k < rungs; ++k)
      for (Index i = 0; i < what.size(); ++i) result[k][i].add(sums[k * what.size() + i]);
  }
  return result;
}

}  // namespace harmonium::testing
