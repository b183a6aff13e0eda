#include <harmonium/models/presets.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::shared_ptr<const UnitType> or_binary(std::unique_ptr<UnitType> unit) {
  if (!unit) return std::make_shared<BinaryUnit>();
  return unit;
}

Value whole(Index n) { return make_value(static_cast<std::int64_t>(n)); }

/// The graph of a preset before its units are chosen: `Units` is a kind of unit, or the table of one in a configuration.
template <class Units>
struct Plan {
  struct PlannedLayer {
    std::string name;
    Index size = 0;
    Units units;
    Role role = Role::observed;
  };
  std::vector<PlannedLayer> layers;
  std::vector<std::pair<Index, Index>> couplings;

  Index add(std::string name, Index size, Units units, Role role) {
    layers.push_back({std::move(name), size, std::move(units), role});
    return layers.size() - 1;
  }
};

using UnitPointer = std::shared_ptr<const UnitType>;

UnitPointer class_units(Index num_labels, const UnitPointer&) {
  return std::make_shared<CategoricalUnit>(CategoricalUnit::Options{num_labels});
}
Value class_units(Index num_labels, const Value&) {
  return make_table({{"type", make_value("categorical")}, {"num_states", whole(num_labels)}});
}

/// The observed layers: `visible`, and `label` where there are classes.
template <class Units>
Plan<Units> observed_layers(Index num_visible, const Units& units, Index num_labels) {
  Plan<Units> plan;
  plan.add("visible", num_visible, units, Role::observed);
  if (num_labels > 0) plan.add("label", 1, class_units(num_labels, units), Role::observed);
  return plan;
}

template <class Units>
Plan<Units> plan_of(const BoltzmannMachineOptions& options, const Units& visible, const Units& hidden) {
  Plan<Units> plan = observed_layers(options.num_visible, visible, options.num_labels);
  const Index top = plan.add("hidden", options.num_hidden, hidden, Role::latent);
  for (Index l = 0; l < top; ++l) plan.couplings.emplace_back(l, top);
  for (const Index l : {Index{0}, top})
    if (std::ranges::find(options.lateral, plan.layers[l].name) != options.lateral.end())
      plan.couplings.emplace_back(l, l);
  return plan;
}

template <class Units>
Plan<Units> plan_of(const FullyVisibleOptions& options, const Units& visible, const Units&) {
  Plan<Units> plan = observed_layers(options.num_visible, visible, 0);
  plan.couplings = {{0, 0}};
  return plan;
}

template <class Units>
Plan<Units> plan_of(const DeepOptions& options, const Units& visible, const Units& hidden) {
  Plan<Units> plan = observed_layers(options.num_visible, visible, options.num_labels);
  Index below = 0;
  for (Index k = 0; k < options.num_hidden.size(); ++k) {
    const Index layer =
        plan.add(fmt::format("hidden{}", k + 1), static_cast<Index>(options.num_hidden[k]), hidden, Role::latent);
    plan.couplings.emplace_back(below, layer);
    below = layer;
  }
  if (options.num_labels > 0) plan.couplings.emplace_back(1, below);
  return plan;
}

/// The model of a plan.
std::unique_ptr<LayeredModel> build(const Plan<UnitPointer>& plan, bool learn_precision,
                                    const std::vector<CouplingMask>& masks) {
  LayerGraph graph{.layers = {}, .couplings = plan.couplings};
  for (const auto& layer : plan.layers) {
    if (learn_precision) graph.learned_precisions.push_back(graph.layers.size());
    graph.layers.push_back({layer.name, layer.size, layer.units, layer.role});
  }
  auto model = std::make_unique<LayeredModel>(std::move(graph));
  set_masks(*model, masks);
  return model;
}

Value list_of(std::vector<Value> items) {
  Value list;
  list.data = std::move(items);
  return list;
}

/// The table of `layered` that a plan stands for; `learns` names the layers whose precisions are learned.
Value table_of(const Plan<Value>& plan, const std::vector<std::string>& learns, const Value& effective) {
  std::vector<Value> layers, terms;
  for (const auto& layer : plan.layers) {
    const bool learned = std::ranges::find(learns, layer.name) != learns.end();
    layers.push_back(make_table({{"name", make_value(layer.name)},
                                 {"size", whole(layer.size)},
                                 {"role", make_value(layer.role == Role::latent ? "latent" : "observed")},
                                 {"units", layer.units},
                                 {"learn_precision", make_value(learned)}}));
  }
  const auto name = [&](Index l) { return make_value(plan.layers[l].name); };
  for (const auto& [a, b] : plan.couplings)
    terms.push_back(a == b ? make_table({{"type", make_value("lateral")}, {"layer", name(a)}})
                           : make_table({{"type", make_value("coupling")}, {"layers", list_of({name(a), name(b)})}}));
  return make_table({{"type", make_value("layered")},
                     {"layers", list_of(std::move(layers))},
                     {"terms", list_of(std::move(terms))},
                     {"masks", *effective.find("masks")}});
}

/// A preset's own table, every default written out, as one of `layered`.
template <class Options>
Value expanded(const Options& options, const UnitType* hidden_units, const Value& effective) {
  const Value* hidden = effective.find("hidden_units");
  const auto plan = plan_of(options, *effective.find("visible_units"), hidden ? *hidden : Value{});
  std::vector<std::string> learns;
  for (const auto& layer : plan.layers) {
    const UnitType* units = layer.name == "visible" ? options.visible_units.get() : hidden_units;
    if (options.learn_precision && layer.name != "label" && has_precision(*units)) learns.push_back(layer.name);
  }
  return table_of(plan, learns, effective);
}

BoltzmannMachineOptions with_lateral(RbmOptions options, std::vector<std::string> lateral) {
  return {.num_visible = options.num_visible,
          .num_hidden = options.num_hidden,
          .lateral = std::move(lateral),
          .num_labels = options.num_labels,
          .visible_units = std::move(options.visible_units),
          .hidden_units = std::move(options.hidden_units),
          .learn_precision = options.learn_precision,
          .masks = std::move(options.masks)};
}

}  // namespace

Value RbmOptions::example() { return make_table({{"num_visible", whole(784)}, {"num_hidden", whole(500)}}); }

Value RbmOptions::expand(const Value& effective) && { return with_lateral(std::move(*this), {}).expand(effective); }

Value SemiRestrictedOptions::expand(const Value& effective) && {
  return with_lateral(std::move(*this), {"visible"}).expand(effective);
}

std::unique_ptr<LayeredModel> make_rbm(RbmOptions options) {
  return make_boltzmann_machine(with_lateral(std::move(options), {}));
}

std::unique_ptr<LayeredModel> make_semi_restricted(RbmOptions options) {
  return make_boltzmann_machine(with_lateral(std::move(options), {"visible"}));
}

Value BoltzmannMachineOptions::example() { return RbmOptions::example(); }

Value BoltzmannMachineOptions::expand(const Value& effective) const {
  return expanded(*this, hidden_units.get(), effective);
}

std::unique_ptr<LayeredModel> make_boltzmann_machine(BoltzmannMachineOptions options) {
  options.validate();
  const UnitPointer visible = or_binary(std::move(options.visible_units)),
                    hidden = or_binary(std::move(options.hidden_units));
  return build(plan_of(options, visible, hidden), options.learn_precision, options.masks);
}

Value FullyVisibleOptions::example() { return make_table({{"num_visible", whole(100)}}); }

Value FullyVisibleOptions::expand(const Value& effective) const { return expanded(*this, nullptr, effective); }

std::unique_ptr<LayeredModel> make_fully_visible(FullyVisibleOptions options) {
  options.validate();
  const UnitPointer visible = or_binary(std::move(options.visible_units));
  return build(plan_of<UnitPointer>(options, visible, {}), options.learn_precision, options.masks);
}

Value DeepOptions::example() {
  return make_table({{"num_visible", whole(784)}, {"num_hidden", list_of({whole(500), whole(1000)})}});
}

Value DeepOptions::expand(const Value& effective) const { return expanded(*this, hidden_units.get(), effective); }

std::unique_ptr<LayeredModel> make_deep(DeepOptions options) {
  options.validate();
  const UnitPointer visible = or_binary(std::move(options.visible_units)),
                    hidden = or_binary(std::move(options.hidden_units));
  return build(plan_of(options, visible, hidden), options.learn_precision, options.masks);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
