#pragma once

#include <filesystem>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Puts the tables that export wrote, or somebody in its form, into the model that they are of, masks too: of couplings within a
/// layer those pairs exist that have a line. Units are called by layer and number, or all of a table otherwise, and then go by
/// their order. Throws DataError with file and line where a table is missing, of another shape or other units, or left over.
void read_exported_tables(const std::filesystem::path& folder, EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
