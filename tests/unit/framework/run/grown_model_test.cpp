#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/framework/run/grown_model.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/models/terms/bias.hpp>
#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>

namespace grown_model_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(1);

LayerGraph graph_of(const EnergyModel& model) {
  LayerGraph graph;
  graph.layers = {model.layout().layers().begin(), model.layout().layers().end()};
  for (const ParameterBlock& block : model.parameter_layout().blocks())
    if (block.role == ParameterRole::coupling)
      graph.couplings.emplace_back(static_cast<Index>(block.layers[0]), static_cast<Index>(block.layers[1]));
  return graph;
}

std::vector<std::string> grow_into(const EnergyModel& from, EnergyModel& to, double std = 0.01) {
  NormalInitializer({.std = std}).initialize(to, nullptr, {executor, {3, 0}});
  return grow(from, to, {executor, {5, 0}});
}

/// What grow says of models that do not fit; the model is as it was then.
std::string refusal(const EnergyModel& from, EnergyModel& to) {
  const std::vector<Real> before(to.parameters().begin(), to.parameters().end());
  try {
    grow(from, to, {executor, {5, 0}});
  } catch (const ConfigError& error) {
    CHECK(std::vector<Real>(to.parameters().begin(), to.parameters().end()) == before);
    return error.what();
  }
  return "";
}

MatrixView<const Real> tensor(const EnergyModel& model, const char* name) {
  const ParameterLayout& layout = model.parameter_layout();
  return layout.view(layout.find(name), model.parameters().data());
}

}  // namespace

TEST_CASE("a model of the same layers is taken over to the bit") {
  for (const auto& make : {small_rbm, small_general, small_deep, small_potts}) {
    const auto from = make();
    LayeredModel to(graph_of(*from));
    CHECK(grow_into(*from, to, 3.0).empty());
    CHECK(std::ranges::equal(from->parameters(), to.parameters()));
  }
}

// E(v, h, 0) of the larger machine is E(v, h) of the smaller one, for all 512 states: whatever the new units' parameters are.
TEST_CASE("with its new units off, a grown machine has the energies of the machine that it grew from") {
  const auto from = small_general();  // couplings within both layers and between them
  LayerGraph graph = graph_of(*from);
  const Index hidden = graph.layers[1].size;
  graph.layers[1].size = hidden + 3;
  LayeredModel to(graph);
  const auto grown = grow_into(*from, to);
  CHECK(grown ==
        std::vector<std::string>{fmt::format("{}: {} to {} units (3 new)", graph.layers[1].name, hidden, hidden + 3)});
  const Index visible = graph.layers[0].size;
  const Index states = Index{1} << (visible + hidden);
  Chains small(from->layout(), states), large(to.layout(), states);
  for (Index s = 0; s < states; ++s)
    for (Index u = 0; u < visible + hidden; ++u) {
      const auto layer = static_cast<LayerId>(u < visible ? 0 : 1);
      const Index at = u < visible ? u : u - visible;
      const auto value = static_cast<Real>((s >> u) & 1u);
      small.write(layer)(s, at) = value;
      large.write(layer)(s, at) = value;
    }
  std::vector<double> expected(states), found(states);
  from->energy(small.real(), expected);
  to.energy(large.real(), found);
  for (Index s = 0; s < states; ++s) CHECK(found[s] == doctest::Approx(expected[s]).epsilon(1e-5));
}

TEST_CASE("new units keep what the initializer drew, and small couplings where that is large") {
  const auto from = small_rbm();  // 5 visible, 4 hidden
  LayerGraph graph = graph_of(*from);
  graph.layers[1].size = 6;
  const char* weights = from->parameter_layout()[2].name.c_str();
  const char* biases = from->parameter_layout()[1].name.c_str();
  for (const double std : {0.05, 0.2}) {
    CAPTURE(std);
    LayeredModel drawn(graph), to(graph);
    NormalInitializer({.std = std, .biases = {.hidden_bias = -4.0}}).initialize(drawn, nullptr, {executor, {3, 0}});
    NormalInitializer({.std = std, .biases = {.hidden_bias = -4.0}}).initialize(to, nullptr, {executor, {3, 0}});
    grow(*from, to, {executor, {5, 0}});
    const auto w = tensor(to, weights), old = tensor(*from, weights), first = tensor(drawn, weights);
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j < 4; ++j) CHECK(w(i, j) == old(i, j));
      for (Index j = 4; j < 6; ++j) {
        if (std < 0.1) CHECK(w(i, j) == first(i, j));
        else CHECK(std::abs(w(i, j)) < Real(0.07));  // seven deviations of 0.01: by chance once in 10^11 entries
      }
    }
    for (Index j = 4; j < 6; ++j) CHECK(tensor(to, biases)(j, 0) == (std < 0.1 ? Real(-4) : Real(0)));
  }
}

TEST_CASE("of one bias for all units new ones have what the others share, and biases that differ are refused") {
  const auto machine = [](Index hidden, bool shared) {
    const std::vector<Layer> layers{observed("v", 3), latent("h", hidden)};
    EnergyTerms terms;
    terms.push_back(std::make_unique<BiasTerm>(BiasTerm::Options{.layer = "h", .uniform = shared}));
    terms.push_back(std::make_unique<CouplingTerm>(CouplingTerm::Options{.layers = {"v", "h"}}));
    return std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {}));
  };
  const auto from = machine(2, true), to = machine(5, true);
  randomize(*from, 3);
  const Real shared = tensor(*from, "bias.h")(0, 0);
  REQUIRE(shared != 0);
  CHECK(grow_into(*from, *to).size() == 1);
  for (Index i = 0; i < 5; ++i) CHECK(tensor(*to, "bias.h")(i, 0) == shared);
  const auto each = machine(2, false);
  randomize(*each, 3);
  CHECK(refusal(*each, *to) ==
        "its tensor 'bias.h' has numbers that differ, and the configuration's is one number for all units (uniform = "
        "true).");
}

TEST_CASE("units of several states grow by whole units") {
  const auto from = small_potts();  // 3 visible and 2 hidden units of three states
  LayerGraph graph = graph_of(*from);
  graph.layers[1].size = 3;
  LayeredModel to(graph);
  grow_into(*from, to);
  for (const ParameterBlock& block : from->parameter_layout().blocks()) {
    CAPTURE(block.name);
    const auto own = tensor(to, block.name.c_str()), old = tensor(*from, block.name.c_str());
    for (Index i = 0; i < old.rows; ++i)
      for (Index j = 0; j < old.cols; ++j) CHECK(own(i, j) == old(i, j));
  }
}

TEST_CASE("models that do not fit are refused by the layer or tensor that differs, and left as they are") {
  const auto from = small_rbm();
  const auto refused = [&](const std::function<void(LayerGraph&)>& change) {
    LayerGraph graph = graph_of(*from);
    change(graph);
    LayeredModel to(graph);
    randomize(to, 4);
    return refusal(*from, to);
  };
  const std::string v = graph_of(*from).layers[0].name, h = graph_of(*from).layers[1].name;
  CHECK(refused([](LayerGraph& g) { g.layers[1].size = 3; }) ==
        "its layer '" + h +
            "' has 4 units, and the configuration's 3: a latent layer may have more units than the file's, not fewer.");
  CHECK(refused([](LayerGraph& g) { g.layers[0].size = 6; }) ==
        "its layer '" + v + "' has 5 units, and the configuration's 6: only latent layers may grow.");
  CHECK(refused([](LayerGraph& g) { g.layers[1].name = "other"; }) ==
        "its layer '" + h + "' is none of the configuration's.");
  CHECK(refused([](LayerGraph& g) { g.layers.push_back(latent("more", 2)); }) ==
        "it has no layer 'more', which the configuration has.");
  CHECK(refused([](LayerGraph& g) { g.layers[1].role = Role::observed; }) ==
        "its layer '" + h + "' is latent, and the configuration's observed.");
  CHECK(refused([](LayerGraph& g) {
          g.layers[1].unit = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{2});
        }) == "its layer '" + h + "' has units 'binary', and the configuration's 'categorical' (or other options).");
  CHECK(refused([](LayerGraph& g) { g.couplings.emplace_back(0, 0); }) ==
        "it has no tensor 'weight." + v + "." + v + "', which the configuration's model has.");
  CHECK(refused([](LayerGraph& g) { g.couplings.clear(); }) ==
        "its tensor 'weight." + v + "." + h + "' is none of the configuration's model.");
}

TEST_CASE("masks must be the same, up to units that came on") {
  const auto from = small_sparse();
  LayeredModel bare(graph_of(*from));
  const std::string said = refusal(*from, bare);
  CHECK(said.starts_with("its tensor 'weight."));
  CHECK(said.ends_with("lacks the entry [0, 2], and the configuration's has it: their masks differ."));
}

}  // namespace grown_model_test
