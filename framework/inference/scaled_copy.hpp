#pragma once

#include <memory>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A model of its own with the energy factor · E: its parameters scaled, log precisions moved. Null where the model cannot be
/// copied, or where its energy is not linear in the parameters, by which it is compared at a few states.
std::unique_ptr<EnergyModel> scaled_copy(const EnergyModel& model, double factor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
