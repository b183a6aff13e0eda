#include <harmonium/framework/training/two_layers.hpp>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::array<double, 2> two_values_of(const Layer& layer) {
  if (layer.unit->width() != 1 || layer.unit->num_states() != 2 || layer.unit->has_curvature() ||
      layer.unit->has_base())
    throw ConfigError(fmt::format("units of layer '{}' are {}.", layer.name, layer.unit->name()));
  std::array<Real, 2> values{};
  layer.unit->states({values.data(), 2, 1, 1});
  return {static_cast<double>(std::min(values[0], values[1])), static_cast<double>(std::max(values[0], values[1]))};
}

const ParameterBlock& bias_of(const EnergyModel& model, LayerId layer) {
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    if (b.role == ParameterRole::bias && b.layers[0] == layer && !b.uniform && !b.mask) return b;
  throw ConfigError(fmt::format("layer '{}' has no bias for each unit.", model.layout()[layer].name));
}

const ParameterBlock& only_coupling_of(const EnergyModel& model) {
  const ParameterBlock* found = nullptr;
  for (const ParameterBlock& b : model.parameter_layout().blocks()) {
    if (b.role != ParameterRole::coupling && b.role != ParameterRole::bias)
      throw ConfigError(fmt::format("it knows no value of {}.", b.name));
    if (b.role != ParameterRole::coupling) continue;
    if (b.layers.size() != 2 || b.layers[0] == b.layers[1])
      throw ConfigError(fmt::format("{} couples other units than those of two layers.", b.name));
    if (found) throw ConfigError("the two layers are coupled twice.");
    found = &b;
  }
  if (!found) throw ConfigError("nothing couples the two layers.");
  if (found->mask)
    throw ConfigError(fmt::format("{} has a mask, and all entries of such couplings differ from 0.", found->name));
  return *found;
}

}  // namespace

TwoLayers two_layers_of(const EnergyModel& model) {
  const Layout& layout = model.layout();
  TwoLayers found;
  Index observed = 0, latent = 0;
  for (Index l = 0; l < layout.size(); ++l) {
    const auto id = static_cast<LayerId>(l);
    const bool seen = layout[id].role == Role::observed;
    (seen ? found.seen : found.latent) = id;
    ++(seen ? observed : latent);
  }
  if (observed != 1 || latent != 1)
    throw ConfigError(fmt::format("the model has {} observed and {} latent layers.", observed, latent));
  found.seen_values = two_values_of(layout[found.seen]);
  found.latent_values = two_values_of(layout[found.latent]);
  found.weight = &only_coupling_of(model);
  found.seen_bias = &bias_of(model, found.seen);
  found.latent_bias = &bias_of(model, found.latent);
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
