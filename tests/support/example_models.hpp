#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/tests/support/golden.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/units.hpp>

/// Small models for comparisons that are exact but for rounding.
namespace harmonium::testing {
using namespace conformance;

inline constexpr bool in_double = std::same_as<Real, double>;

/// Rounding error of a sum of `terms` numbers of size up to `size` in arithmetic of type T.
template <class T = Real>
constexpr double rounding(double terms, double size = 1.0) {
  return terms * size * static_cast<double>(std::numeric_limits<T>::epsilon());
}

inline std::shared_ptr<const UnitType> binary() { return std::make_shared<BinaryUnit>(); }
inline Layer observed(std::string name, Index size, std::shared_ptr<const UnitType> unit = binary()) {
  return {std::move(name), size, std::move(unit), Role::observed};
}
inline Layer latent(std::string name, Index size, std::shared_ptr<const UnitType> unit = binary()) {
  return {std::move(name), size, std::move(unit), Role::latent};
}

inline std::unique_ptr<LayeredModel> random_model(LayerGraph graph, std::uint64_t seed, double spread = 1.0) {
  auto model = std::make_unique<LayeredModel>(std::move(graph));
  randomize(*model, seed, spread);
  return model;
}
inline std::unique_ptr<LayeredModel> random_rbm(Index num_visible, Index num_hidden, std::uint64_t seed,
                                                double spread = 1.0) {
  auto model = make_rbm({.num_visible = num_visible, .num_hidden = num_hidden});
  randomize(*model, seed, spread);
  return model;
}

/// A model and what to call it when a check on it fails.
struct Example {
  std::string name;
  std::unique_ptr<LayeredModel> model;
};

/// Models over many graphs of layers, few enough units for every configuration to be visited. In double also such whose
/// units have a curvature.
inline std::vector<Example> example_models() {
  std::vector<Example> all;
  const auto add = [&](std::string name, LayerGraph graph) {
    all.push_back({std::move(name), random_model(std::move(graph), 100 + all.size())});
  };
  add("wide RBM", {{observed("v", 5), latent("h", 2)}, {{0, 1}}, {}});
  add("tall RBM", {{observed("v", 2), latent("h", 4)}, {{0, 1}}, {}});
  add("deep machine", {{observed("v", 3), latent("h", 2), latent("g", 3)}, {{0, 1}, {1, 2}}, {}});
  add("lateral visible units", {{observed("v", 4), latent("h", 3)}, {{0, 0}, {0, 1}}, {}});
  add("lateral hidden units", {{observed("v", 3), latent("h", 4)}, {{0, 1}, {1, 1}}, {}});
  add("general machine", {{observed("v", 4), latent("h", 3)}, {{0, 0}, {0, 1}, {1, 1}}, {}});
  add("fully visible machine", {{observed("v", 5)}, {{0, 0}}, {}});
  add("independent units", {{observed("v", 3), latent("h", 2)}, {}, {}});
  add("latent units first, two observed layers",
      {{latent("h", 2), observed("v", 3), observed("y", 2)}, {{1, 0}, {2, 0}, {1, 2}}, {}});
  add("ring of four layers",
      {{observed("a", 2), observed("b", 2), latent("c", 2), latent("d", 2)}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, {}});
  const auto three = std::make_shared<ThreeWayUnit>();
  add("units of three columns", {{observed("v", 2, three), latent("h", 2, three)}, {{0, 0}, {0, 1}}, {}});
  add("a ring with half of the other couplings", {{observed("v", 4), latent("h", 3)}, {{0, 0}, {0, 1}}, {}});
  keep_only(*all.back().model, "weight.v.v", {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  keep_only(*all.back().model, "weight.v.h", {{0, 0}, {0, 2}, {1, 1}, {2, 0}, {3, 1}, {3, 2}});
  add("a path of units of three columns", {{observed("v", 3, three), latent("h", 1)}, {{0, 0}, {0, 1}}, {}});
  keep_only(*all.back().model, "weight.v.v", {{0, 2}, {2, 1}});
  if constexpr (in_double) {
    const auto ternary = std::make_shared<TernaryUnit>();
    add("units with a curvature", {{observed("v", 3, ternary), latent("h", 2)}, {{0, 1}}, {0}});
    add("lateral units with a curvature",
        {{observed("v", 2, ternary), latent("h", 2, ternary)}, {{0, 0}, {0, 1}}, {0, 1}});
    add("latent units with a curvature", {{observed("v", 2), latent("h", 2, ternary)}, {{0, 1}}, {}});
  }
  return all;
}

/// The machines of golden.hpp: the RBM, or the general one.
inline std::unique_ptr<LayeredModel> golden_model(bool general) {
  LayerGraph graph{{observed("visible", golden::num_visible), latent("hidden", golden::num_hidden)}, {{0, 1}}, {}};
  if (general) {
    graph.couplings.emplace_back(0, 0);
    graph.couplings.emplace_back(1, 1);
  }
  auto model = std::make_unique<LayeredModel>(std::move(graph));
  const ParameterLayout& p = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const auto set = [&](const char* name, auto&& value) {
      const MatrixRef w = p.view(p.find(name), theta.data());
      for (Index i = 0; i < w.rows; ++i)
        for (Index j = 0; j < w.cols; ++j) w(i, j) = static_cast<Real>(value(i, j));
    };
    const auto symmetric = [](auto&& of_pair) {
      return [of_pair](Index i, Index j) { return i == j ? 0.0 : of_pair(std::min(i, j), std::max(i, j)); };
    };
    set("bias.visible", [](Index j, Index) { return golden::visible_bias(j); });
    set("bias.hidden", [](Index i, Index) { return golden::hidden_bias(i); });
    set("weight.visible.hidden", [](Index j, Index i) { return golden::weight(j, i); });
    if (!general) return;
    set("weight.visible.visible", symmetric(golden::visible_lateral));
    set("weight.hidden.hidden", symmetric(golden::hidden_lateral));
  });
  return model;
}

}  // namespace harmonium::testing
