#pragma once

#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Draws every unit of every chain from the model with its couplings set to zero, its biases alone, at inverse
/// temperature β.
void start_from_biases(const EnergyModel& model, double beta, const RandomSource& random, Chains& chains);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
