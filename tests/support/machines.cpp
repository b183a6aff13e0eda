#include <harmonium/tests/support/machines.hpp>

#include <random>
#include <stdexcept>
#include <string>

#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/spin.hpp>

namespace harmonium::testing {

std::unique_ptr<LayeredModel> random_machine(const LayerGraph& graph, double strength, std::uint64_t seed) {
  auto machine = std::make_unique<LayeredModel>(graph);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const ParameterLayout& layout = machine->parameter_layout();
  machine->update_parameters([&](std::span<Real> theta) {
    for (Index k = 0; k < layout.blocks().size(); ++k) {
      const ParameterBlock& block = layout[k];
      const MatrixRef w = layout.view(k, theta.data());
      const double deviation = block.role == ParameterRole::bias ? 0.5 : is_curvature(block) ? 0.3 : strength;
      for (Index i = 0; i < w.rows; ++i)
        for (Index j = 0; j < w.cols; ++j) w(i, j) = static_cast<Real>(deviation * normal(random));
      if (block.symmetry == Symmetry::none) continue;
      const Index width = machine->layout()[block.layers[0]].unit->width();
      for (Index i = 0; i < w.rows; ++i) {
        for (Index j = 0; j < i; ++j) w(i, j) = w(j, i);
        for (Index j = i / width * width; j < (i / width + 1) * width; ++j) w(i, j) = 0;
      }
    }
  });
  return machine;
}

LayerGraph binary_layers(std::vector<Index> sizes, std::vector<bool> observed,
                         std::vector<std::pair<Index, Index>> couplings) {
  LayerGraph graph;
  for (Index i = 0; i < sizes.size(); ++i)
    graph.layers.push_back({"layer" + std::to_string(i), sizes[i], std::make_shared<BinaryUnit>(),
                            observed[i] ? Role::observed : Role::latent});
  graph.couplings = std::move(couplings);
  return graph;
}

std::unique_ptr<LayeredModel> small_rbm() {
  return random_machine(binary_layers({5, 4}, {true, false}, {{0, 1}}), 1.5, 1);
}

std::unique_ptr<LayeredModel> small_semi_restricted() {
  return random_machine(binary_layers({5, 4}, {true, false}, {{0, 1}, {0, 0}}), 1.2, 2);
}

std::unique_ptr<LayeredModel> small_lateral_hidden() {
  return random_machine(binary_layers({4, 5}, {true, false}, {{0, 1}, {1, 1}}), 1.2, 3);
}

std::unique_ptr<LayeredModel> small_general() {
  return random_machine(binary_layers({4, 4}, {true, false}, {{0, 1}, {0, 0}, {1, 1}}), 1.2, 4);
}

std::unique_ptr<LayeredModel> small_deep() {
  return random_machine(binary_layers({3, 4, 3}, {true, false, false}, {{0, 1}, {1, 2}}), 1.5, 5);
}

std::unique_ptr<LayeredModel> small_triangle() {
  return random_machine(binary_layers({2, 3, 3}, {false, false, true}, {{2, 0}, {1, 2}, {0, 1}}), 1.2, 6);
}

std::unique_ptr<LayeredModel> small_visible() { return random_machine(binary_layers({8}, {true}, {{0, 0}}), 0.9, 7); }

std::unique_ptr<LayeredModel> small_spin_rbm() {
  LayerGraph graph = binary_layers({5, 4}, {true, false}, {{0, 1}});
  for (Layer& layer : graph.layers) layer.unit = std::make_shared<SpinUnit>();
  return random_machine(graph, 0.6, 21);
}

std::unique_ptr<LayeredModel> small_spin_glass() {
  LayerGraph graph = binary_layers({7}, {true}, {{0, 0}});
  graph.layers[0].unit = std::make_shared<SpinUnit>();
  return random_machine(graph, 0.5, 22);
}

std::unique_ptr<LayeredModel> small_categorical() {
  LayerGraph graph = binary_layers({3, 3}, {true, false}, {{0, 1}});
  graph.layers[0].unit = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{4});
  return random_machine(graph, 1.2, 23);
}

std::unique_ptr<LayeredModel> small_potts() {
  LayerGraph graph = binary_layers({3, 2}, {true, false}, {{0, 1}, {0, 0}});
  graph.layers[0].unit = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  graph.layers[1].unit = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  return random_machine(graph, 0.9, 24);
}

std::unique_ptr<LayeredModel> small_chain() {
  auto machine = random_machine(binary_layers({10}, {true}, {{0, 0}}), 0.6, 9);
  const ParameterLayout& layout = machine->parameter_layout();
  machine->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = layout.view(1, theta.data());
    for (Index i = 0; i + 1 < w.rows; ++i) w(i, i + 1) = w(i + 1, i) = i % 2 == 0 ? Real{1.5} : Real{-1.5};
  });
  return machine;
}

std::unique_ptr<LayeredModel> small_spins() {
  LayerGraph graph;
  graph.layers = {{"visible", 5, std::make_shared<SpinUnit>(), Role::observed},
                  {"hidden", 4, std::make_shared<SpinUnit>(), Role::latent}};
  graph.couplings = {{0, 1}, {0, 0}, {1, 1}};
  return random_machine(graph, 0.4, 10);
}

void keep_only(LayeredModel& machine, const std::string& tensor, const std::vector<std::pair<Index, Index>>& pairs) {
  const ParameterLayout& layout = machine.parameter_layout();
  const Index position = layout.find(tensor);
  const ParameterBlock& block = layout[position];
  const bool lateral = block.symmetry != Symmetry::none;
  const Index rows = machine.layout()[block.layers[0]].unit->width(),
              cols = machine.layout()[block.layers[1]].unit->width();
  std::vector<std::uint8_t> mask(block.size());
  for (const std::pair<Index, Index>& pair : pairs) {
    for (Index i = pair.first * rows; i < (pair.first + 1) * rows; ++i) {
      for (Index j = pair.second * cols; j < (pair.second + 1) * cols; ++j) {
        mask[i * block.cols + j] = 1;
        if (lateral) mask[j * block.cols + i] = 1;
      }
    }
  }
  machine.set_mask(position, std::move(mask));
}

std::unique_ptr<LayeredModel> small_sparse() {
  LayerGraph graph = binary_layers({6, 4}, {true, false}, {{0, 1}, {0, 0}, {1, 1}});
  for (Layer& layer : graph.layers) layer.unit = std::make_shared<SpinUnit>();
  auto machine = random_machine(graph, 0.6, 23);
  keep_only(*machine, "weight.layer0.layer0", {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}, {1, 5}});
  keep_only(*machine, "weight.layer1.layer1", {{0, 3}});
  keep_only(*machine, "weight.layer0.layer1",
            {{0, 0}, {0, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 2}, {3, 1}, {3, 3}, {4, 0}, {4, 3}, {5, 1}, {5, 2}});
  return machine;
}

std::unique_ptr<LayeredModel> small_sparse_potts() {
  LayerGraph graph;
  graph.layers = {{"visible", 4, std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3}), Role::observed},
                  {"hidden", 2, std::make_shared<BinaryUnit>(), Role::latent}};
  graph.couplings = {{0, 1}, {0, 0}};
  auto machine = random_machine(graph, 0.8, 24);
  keep_only(*machine, "weight.visible.visible", {{0, 1}, {1, 2}, {2, 3}});
  return machine;
}

void Forwarding::update_parameters(FunctionRef<void(std::span<Real>)>) {
  throw std::logic_error("a forwarding model is only looked at");
}

}  // namespace harmonium::testing
