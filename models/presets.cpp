#include <harmonium/models/presets.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>

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
void bind_num_labels(OptionBinder& o, Index& num_labels) {
  o.option("num_labels", num_labels, "classes of a layer 'label' that takes the data's labels; 0: no such layer",
           at_least(0));
}
/// What comes last in every preset.
void bind_units(OptionBinder& o, std::unique_ptr<UnitType>& visible, std::unique_ptr<UnitType>* hidden, bool& learn,
                std::vector<CouplingMask>& masks) {
  o.component("visible_units", visible, "kind of the visible units", "binary");
  if (hidden) o.component("hidden_units", *hidden, "kind of the hidden units", "binary");
  o.option("learn_precision", learn,
           "learn the precisions of Gaussian units too, in place of keeping them as they are");
  bind_masks(o, masks);
}

void check_visible(Index num_visible) {
  if (num_visible == 0)
    throw ConfigError("'num_visible' must be given (at least 1): the number of columns of the data.");
}
void check_hidden(Index num_hidden) {
  if (num_hidden == 0) throw ConfigError("'num_hidden' must be given (at least 1).");
}
void check_labels(Index num_labels) {
  if (num_labels == 1)
    throw ConfigError("'num_labels' is 1, but one class tells nothing. Take as many as the data has, or 0 for none.");
}

/// The observed layers: `visible`, and `label` where there are classes.
LayerGraph observed_layers(Index num_visible, std::unique_ptr<UnitType> units, Index num_labels) {
  LayerGraph graph;
  graph.layers.push_back({"visible", num_visible, or_binary(std::move(units)), Role::observed});
  if (num_labels > 0)
    graph.layers.push_back(
        {"label", 1, std::make_shared<CategoricalUnit>(CategoricalUnit::Options{num_labels}), Role::observed});
  return graph;
}

std::unique_ptr<LayeredModel> make(LayerGraph graph, bool learn_precision, const std::vector<CouplingMask>& masks) {
  if (learn_precision)
    for (Index l = 0; l < graph.layers.size(); ++l) graph.learned_precisions.push_back(l);
  auto model = std::make_unique<LayeredModel>(std::move(graph));
  set_masks(*model, masks);
  return model;
}

}  // namespace

void RbmOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  o.option("num_hidden", num_hidden, "number of hidden units; must be given", at_least(1));
  bind_num_labels(o, num_labels);
  bind_units(o, visible_units, &hidden_units, learn_precision, masks);
}

void RbmOptions::validate() const {
  check_visible(num_visible);
  check_hidden(num_hidden);
  check_labels(num_labels);
}

namespace {

std::unique_ptr<LayeredModel> with_lateral(RbmOptions options, std::vector<std::string> lateral) {
  return make_boltzmann_machine({.num_visible = options.num_visible,
                                 .num_hidden = options.num_hidden,
                                 .lateral = std::move(lateral),
                                 .num_labels = options.num_labels,
                                 .visible_units = std::move(options.visible_units),
                                 .hidden_units = std::move(options.hidden_units),
                                 .learn_precision = options.learn_precision,
                                 .masks = std::move(options.masks)});
}

}  // namespace

std::unique_ptr<LayeredModel> make_rbm(RbmOptions options) { return with_lateral(std::move(options), {}); }

std::unique_ptr<LayeredModel> make_semi_restricted(RbmOptions options) {
  return with_lateral(std::move(options), {"visible"});
}

void BoltzmannMachineOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  o.option("num_hidden", num_hidden, "number of hidden units; must be given", at_least(1));
  o.option("lateral", lateral,
           "layers whose units are coupled among themselves: \"visible\", \"hidden\", both or none");
  bind_num_labels(o, num_labels);
  bind_units(o, visible_units, &hidden_units, learn_precision, masks);
}

void BoltzmannMachineOptions::validate() const {
  check_visible(num_visible);
  check_hidden(num_hidden);
  check_labels(num_labels);
  for (const std::string& name : lateral) {
    if (name != "visible" && name != "hidden")
      throw ConfigError(fmt::format("'lateral' names the layers 'visible' and 'hidden', not '{}'{}.", name,
                                    did_you_mean(name, {"visible", "hidden"})));
    if (std::ranges::count(lateral, name) > 1) throw ConfigError(fmt::format("'lateral' names '{}' twice.", name));
  }
}

std::unique_ptr<LayeredModel> make_boltzmann_machine(BoltzmannMachineOptions options) {
  options.validate();
  LayerGraph graph = observed_layers(options.num_visible, std::move(options.visible_units), options.num_labels);
  const Index hidden = graph.layers.size();
  graph.layers.push_back({"hidden", options.num_hidden, or_binary(std::move(options.hidden_units)), Role::latent});
  for (Index l = 0; l < hidden; ++l) graph.couplings.emplace_back(l, hidden);
  for (const Index l : {Index{0}, hidden})
    if (std::ranges::find(options.lateral, graph.layers[l].name) != options.lateral.end())
      graph.couplings.emplace_back(l, l);
  return make(std::move(graph), options.learn_precision, options.masks);
}

void FullyVisibleOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  bind_units(o, visible_units, nullptr, learn_precision, masks);
}

void FullyVisibleOptions::validate() const { check_visible(num_visible); }

std::unique_ptr<LayeredModel> make_fully_visible(FullyVisibleOptions options) {
  options.validate();
  LayerGraph graph = observed_layers(options.num_visible, std::move(options.visible_units), 0);
  graph.couplings = {{0, 0}};
  return make(std::move(graph), options.learn_precision, options.masks);
}

void DeepOptions::bind(OptionBinder& o) {
  bind_num_visible(o, num_visible);
  o.option("num_hidden", num_hidden,
           "number of units of each hidden layer, from the visible layer up; at least two must be given");
  bind_num_labels(o, num_labels);
  bind_units(o, visible_units, &hidden_units, learn_precision, masks);
}

void DeepOptions::validate() const {
  check_visible(num_visible);
  check_labels(num_labels);
  if (num_hidden.size() < 2)
    throw ConfigError("'num_hidden' must list the sizes of at least two hidden layers; with one, take 'rbm'.");
  for (const double n : num_hidden)
    if (!(n >= 1.0) || n != std::floor(n) || n > 1e12)
      throw ConfigError(fmt::format("'num_hidden' holds {}, but a layer has a whole number of units, at least 1.", n));
}

std::unique_ptr<LayeredModel> make_deep(DeepOptions options) {
  options.validate();
  const std::shared_ptr<const UnitType> hidden = or_binary(std::move(options.hidden_units));
  LayerGraph graph = observed_layers(options.num_visible, std::move(options.visible_units), options.num_labels);
  Index below = 0;
  for (Index k = 0; k < options.num_hidden.size(); ++k) {
    const Index layer = graph.layers.size();
    graph.layers.push_back(
        {fmt::format("hidden{}", k + 1), static_cast<Index>(options.num_hidden[k]), hidden, Role::latent});
    graph.couplings.emplace_back(below, layer);
    below = layer;
  }
  if (options.num_labels > 0) graph.couplings.emplace_back(1, below);
  return make(std::move(graph), options.learn_precision, options.masks);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
