#pragma once

#include <memory>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The model of p(x)^β: its energies times `beta`, so that all that is asked of it, in closed form, by sums or by chains, is of that inverse
/// temperature. At 1 the model itself. Throws ConfigError at 0 of units that have no law there, and CapabilityError for a stack,
/// a model whose energy is not linear in its parameters, and where p(x)^β is no law.
std::unique_ptr<EnergyModel> model_at_beta(std::unique_ptr<EnergyModel> model, double beta);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
