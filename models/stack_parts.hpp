#pragma once

#include <memory>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/per_layer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// From that of the data to the top one.
using StackOfMachines = std::vector<std::unique_ptr<EnergyModel>>;

/// The machines themselves. Throws ConfigError where they make no stack (stack.hpp).
const StackOfMachines& checked_stack(const StackOfMachines& machines);

/// The observed layers of the first machine, and the latent ones of each, with its number behind.
Layout layout_of_stack(const StackOfMachines& machines);

/// Of each machine, the stack's layer that each of its own is.
std::vector<PerLayer<LayerId>> places_in_stack(const StackOfMachines& machines);

/// The tensors of all machines; `untied`: then those of the recognition machines, of which there is one for each below the top.
ParameterLayout tensors_of_stack(const StackOfMachines& machines, bool untied);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
