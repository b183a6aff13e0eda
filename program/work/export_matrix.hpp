#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The tensors of couplings between units of one layer.
std::vector<Index> couplings_within_layers(const EnergyModel& model);

/// Writes the couplings within a layer, J of E = −Σ_{i<j} J_ij x_i x_j, as a symmetric matrix of float64 with a diagonal of 0,
/// columns × columns of that layer, to an .npy file: what import reads. Throws CapabilityError where the model has none, or several
/// such tensors, or units of several columns, which import would take for as many spins.
void export_matrix(const EnergyModel& model, const std::string& path);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
