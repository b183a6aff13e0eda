#pragma once

#include <filesystem>
#include <string>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Puts the arrays of an archive (.npz), called and shaped as export_arrays writes them, into the model that they are of, masks too.
/// Biases of units of several states may have a row a unit, and their couplings within a layer four axes. Returns lines to tell: which
/// order was taken where there are two, and that the arrays of a transform were not. Throws DataError where an array is missing, of another shape, of no part
/// of the model, or not finite.
std::string read_exported_arrays(const std::filesystem::path& file, EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
