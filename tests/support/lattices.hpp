#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <harmonium/tests/support/example_models.hpp>

namespace harmonium::testing {

/// The couplings of a lattice.
inline const ParameterBlock& edges_block(const EnergyModel& model) {
  return *std::ranges::find(model.parameter_layout().blocks(), ParameterRole::edges, &ParameterBlock::role);
}

/// What a number of an edge is in a matrix of couplings: the slopes along its pairs together.
inline double sum_of_edge(const Edge& e, Index width, ConstMatrixRef matrix) {
  double sum = 0.0;
  for (Index s = 0; s < width; ++s) sum += static_cast<double>(matrix(e.a * width + s, e.b * width + s));
  return sum;
}

/// The same model with the couplings of its first layer, v, as a matrix with a mask; a second one is coupled with it.
inline std::unique_ptr<LayeredModel> with_a_matrix(const EnergyModel& model) {
  const std::vector<Layer>& layers = model.layout().layers();
  auto couplings = std::vector<std::pair<Index, Index>>{{0, 0}};
  if (layers.size() > 1) couplings.emplace_back(0, 1);
  auto twin = std::make_unique<LayeredModel>(LayerGraph{layers, couplings, {}});
  const ParameterBlock& edges = edges_block(model);
  std::vector<std::pair<Index, Index>> pairs;
  for (const Edge& e : *edges.edges) pairs.emplace_back(e.a, e.b);
  keep_only(*twin, "weight.v.v", pairs);
  const ParameterLayout& to = twin->parameter_layout();
  const Index width = layers[0].unit->width();
  twin->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& block : model.parameter_layout().blocks())
      if (block.role != ParameterRole::edges)
        std::ranges::copy(model.parameters().subspan(block.offset, block.size()),
                          theta.begin() + static_cast<std::ptrdiff_t>(to[to.find(block.name)].offset));
    const MatrixRef w = to.view(to.find("weight.v.v"), theta.data());
    for (const Edge& e : *edges.edges)
      for (Index s = 0; s < width; ++s)
        w(e.a * width + s, e.b * width + s) = w(e.b * width + s, e.a * width + s) =
            model.parameters()[edges.offset + e.entry];
  });
  return twin;
}

}  // namespace harmonium::testing
