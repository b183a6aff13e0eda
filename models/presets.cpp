#include <harmonium/models/presets.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/binary.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::shared_ptr<const UnitType> or_binary(std::unique_ptr<UnitType> unit) {
  if (!unit) return std::make_shared<BinaryUnit>();
  return unit;
}

void bind_num_visible(OptionBinder& o, Index& num_visible) {
  o.option("num_visible", num_visible, "number of visible units; must be given", at_least(1));
}
void bind_num_hidden(OptionBinder& o, Index& num_hidden) {
  o.option("num_hidden", num_hidden, "number of hidden units; must be given", at_least(1));
}
void bind_visible_units(OptionBinder& o, std::unique_ptr<UnitType>& units) {
  o.component("visible_units", units, "kind of the visible units", "binary");
}
void bind_hidden_units(OptionBinder& o, std::unique_ptr<UnitType>& units) {
  o.component("hidden_units", units, "kind of the hidden units", "binary");
}
void bind_learn_precision(OptionBinder& o, bool& learn) {
  o.option("learn_precision", learn, "learn the precisions of Gaussian units too, in place of keeping them at 1");
}

void check_given(const char* name, Index size) {
  if (size == 0) throw ConfigError(fmt::format("'{}' must be given (at least 1).", name));
}

std::unique_ptr<Pairwise> make(LayerGraph graph, bool learn_precision) {
  if (learn_precision)
    for (Index l = 0; l < graph.layers.size(); ++l) graph.learned_precisions.push_back(l);
  return std::make_unique<Pairwise>(std::move(graph));
}

}  // namespace

void BoltzmannMachineOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  bind_num_hidden(o, num_hidden);
  o.option("lateral", lateral,
           "layers whose units are coupled among themselves: \"visible\", \"hidden\", both or none");
  bind_visible_units(o, visible_units);
  bind_hidden_units(o, hidden_units);
  bind_learn_precision(o, learn_precision);
}

void BoltzmannMachineOptions::validate() const {
  check_given("num_visible", num_visible);
  check_given("num_hidden", num_hidden);
  for (const std::string& name : lateral) {
    if (name != "visible" && name != "hidden")
      throw ConfigError(fmt::format("'lateral' names the layers 'visible' and 'hidden', not '{}'{}.", name,
                                    did_you_mean(name, {"visible", "hidden"})));
    if (std::ranges::count(lateral, name) > 1) throw ConfigError(fmt::format("'lateral' names '{}' twice.", name));
  }
}

std::unique_ptr<Pairwise> make_boltzmann_machine(BoltzmannMachineOptions options) {
  options.validate();
  LayerGraph graph;
  graph.layers = {{"visible", options.num_visible, or_binary(std::move(options.visible_units)), Role::observed},
                  {"hidden", options.num_hidden, or_binary(std::move(options.hidden_units)), Role::latent}};
  graph.couplings = {{0, 1}};
  for (Index l = 0; l < 2; ++l)
    if (std::ranges::find(options.lateral, graph.layers[l].name) != options.lateral.end())
      graph.couplings.emplace_back(l, l);
  return make(std::move(graph), options.learn_precision);
}

void SemiRestrictedOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  bind_num_hidden(o, num_hidden);
  bind_visible_units(o, visible_units);
  bind_hidden_units(o, hidden_units);
  bind_learn_precision(o, learn_precision);
}

void SemiRestrictedOptions::validate() const {
  check_given("num_visible", num_visible);
  check_given("num_hidden", num_hidden);
}

std::unique_ptr<Pairwise> make_semi_restricted(SemiRestrictedOptions options) {
  return make_boltzmann_machine({.num_visible = options.num_visible,
                                 .num_hidden = options.num_hidden,
                                 .lateral = {"visible"},
                                 .visible_units = std::move(options.visible_units),
                                 .hidden_units = std::move(options.hidden_units),
                                 .learn_precision = options.learn_precision});
}

void FullyVisibleOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  bind_visible_units(o, visible_units);
  bind_learn_precision(o, learn_precision);
}

void FullyVisibleOptions::validate() const { check_given("num_visible", num_visible); }

std::unique_ptr<Pairwise> make_fully_visible(FullyVisibleOptions options) {
  options.validate();
  LayerGraph graph;
  graph.layers = {{"visible", options.num_visible, or_binary(std::move(options.visible_units)), Role::observed}};
  graph.couplings = {{0, 0}};
  return make(std::move(graph), options.learn_precision);
}

void DeepOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  o.option("num_hidden", num_hidden,
           "number of units of each hidden layer, from the visible layer up; at least two must be given");
  bind_visible_units(o, visible_units);
  bind_hidden_units(o, hidden_units);
  bind_learn_precision(o, learn_precision);
}

void DeepOptions::validate() const {
  check_given("num_visible", num_visible);
  if (num_hidden.size() < 2)
    throw ConfigError("'num_hidden' must list the sizes of at least two hidden layers; with one, take 'rbm'.");
  for (const double n : num_hidden)
    if (!(n >= 1.0) || n != std::floor(n) || n > 1e12)
      throw ConfigError(fmt::format("'num_hidden' holds {}, but a layer has a whole number of units, at least 1.", n));
}

std::unique_ptr<Pairwise> make_deep(DeepOptions options) {
  options.validate();
  const std::shared_ptr<const UnitType> hidden = or_binary(std::move(options.hidden_units));
  LayerGraph graph;
  graph.layers = {{"visible", options.num_visible, or_binary(std::move(options.visible_units)), Role::observed}};
  for (Index k = 0; k < options.num_hidden.size(); ++k) {
    graph.layers.push_back(
        {fmt::format("hidden{}", k + 1), static_cast<Index>(options.num_hidden[k]), hidden, Role::latent});
    graph.couplings.emplace_back(k, k + 1);
  }
  return make(std::move(graph), options.learn_precision);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
