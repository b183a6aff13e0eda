#include <harmonium/models/stack_parts.hpp>

#include <string>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stack_gradients.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Throws where the observed layers of machine k are not the latent ones of machine k − 1.
void check_joint(const StackOfMachines& machines, Index k) {
  const Layout &below = machines[k - 1]->layout(), &own = machines[k]->layout();
  const std::vector<LayerId> latent = below.ids(below.latent()), observed = own.ids(own.observed());
  if (latent.size() != observed.size())
    throw ConfigError(fmt::format("machine {} observes {} layers, and machine {} has {} latent ones. Give it as many.",
                                  k + 1, observed.size(), k, latent.size()));
  for (Index l = 0; l < latent.size(); ++l) {
    const Layer &from = below[latent[l]], &to = own[observed[l]];
    if (from.size != to.size)
      throw ConfigError(
          fmt::format("machine {} has {} units '{}', and layer '{}' of machine {} below it {}. Give both the same.",
                      k + 1, to.size, to.name, from.name, k, from.size));
    if (!(from.unit->configuration() == to.unit->configuration()) || from.unit->width() != to.unit->width())
      throw ConfigError(fmt::format(
          "machine {} observes units '{}', and layer '{}' of machine {} below it has units '{}'. Give both the same.",
          k + 1, to.unit->name(), from.name, k, from.unit->name()));
  }
}

/// Throws where a machine below the top is not made for it: draws go up and down through it, in one step and exactly.
void check_below(const EnergyModel& machine, Index k) {
  const Layout& layout = machine.layout();
  const LayerSet observed = layout.observed(), latent = layout.latent();
  const BlockConditionals* conditionals = machine.block_conditionals();
  if (latent.empty())
    throw ConfigError(fmt::format("machine {} has no latent units, and the next one nothing to stand on.", k + 1));
  if (!conditionals || !conditionals->independent(latent, observed) || !conditionals->independent(observed, latent))
    throw ConfigError(
        fmt::format("machine {} has units that are coupled within its latent or its observed layers. Below the top a "
                    "stack takes restricted machines.",
                    k + 1));
  if (!machine.free_energy() || !machine.free_energy()->closed(observed) || !machine.free_energy()->closed(latent))
    throw ConfigError(
        fmt::format("machine {} has no free energy in closed form of its observed and of its latent units.", k + 1));
}

}  // namespace

const StackOfMachines& checked_stack(const StackOfMachines& machines) {
  if (machines.size() < 2) throw ConfigError("'machines' must be two or more; a single one is a model by itself.");
  for (Index k = 0; k < machines.size(); ++k) {
    if (k > 0) check_joint(machines, k);
    if (k + 1 < machines.size()) check_below(*machines[k], k);
    for (const ParameterBlock& block : machines[k]->parameter_layout().blocks())
      if (block.mask)
        throw ConfigError(
            fmt::format("tensor '{}' of machine {} has a mask, which a stack cannot keep.", block.name, k + 1));
  }
  const EnergyModel& top = *machines.back();
  if (!top.free_energy() || !top.free_energy()->closed(top.layout().observed()))
    throw ConfigError(
        "the top machine has no free energy of its observed units. Give it latent units that are "
        "independent given these.");
  return machines;
}

Layout layout_of_stack(const StackOfMachines& machines) {
  std::vector<Layer> layers;
  for (Index k = 0; k < machines.size(); ++k)
    for (Layer layer : machines[k]->layout().layers()) {
      if (layer.role == Role::latent) layer.name += std::to_string(k + 1);
      else if (k > 0) continue;
      layers.push_back(std::move(layer));
    }
  return Layout(std::move(layers));
}

std::vector<PerLayer<LayerId>> places_in_stack(const StackOfMachines& machines) {
  std::vector<PerLayer<LayerId>> places;
  std::vector<LayerId> latent_below;
  Index next = 0;
  for (const auto& machine : machines) {
    std::vector<LayerId> latent;
    Index observed = 0;
    PerLayer<LayerId> own;
    for (const Layer& layer : machine->layout().layers()) {
      const bool from_below = layer.role == Role::observed && !places.empty();
      own.push_back(from_below ? latent_below[observed++] : static_cast<LayerId>(next++));
      if (layer.role == Role::latent) latent.push_back(own.back());
    }
    latent_below = std::move(latent);
    places.push_back(std::move(own));
  }
  return places;
}

ParameterLayout tensors_of_stack(const StackOfMachines& machines, bool untied) {
  const std::vector<PerLayer<LayerId>> places = places_in_stack(machines);
  ParameterLayout all;
  const auto add = [&](const char* word, Index k, ParameterBlock block) {
    block.name = fmt::format("{}{}.{}", word, k + 1, block.name);
    for (LayerId& l : block.layers) l = places[k][l];
    if (k + 1 < machines.size()) {  // it has no other part in the energy than its name says: G_k is of it too
      block.role = ParameterRole::other;
      block.edges = nullptr;
    }
    all.add(std::move(block));
  };
  for (Index k = 0; k < machines.size(); ++k)
    for (ParameterBlock block : machines[k]->parameter_layout().blocks()) {
      const bool idle = untied && k + 1 < machines.size() && of_layers_alone(block, machines[k]->layout().latent());
      block.learned = block.learned && !idle;
      add("machine", k, std::move(block));
    }
  for (Index k = 0; untied && k + 1 < machines.size(); ++k)
    for (ParameterBlock block : machines[k]->parameter_layout().blocks()) {
      block.learned = block.learned && !of_layers_alone(block, machines[k]->layout().observed());
      add("recognition", k, std::move(block));
    }
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
