#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The names of all tables that export may write of a model's parameters.
std::set<std::string> names_of_tables(const EnergyModel& model);

/// The names of the files of an earlier export in `folder`, beside those that each has; none where there is no such export. Tables of
/// its model are among them where that can be made.
std::set<std::string> former_files(const std::filesystem::path& folder, const Registries& registries);

/// Removes from `folder` those of `names` that are not among the files `written` and begin as export writes them. Returns the tables
/// that are left beside `written`, with which import refuses the folder. Throws FileError where one cannot be removed.
std::vector<std::string> remove_former(const std::filesystem::path& folder, const std::set<std::string>& names,
                                       const std::set<std::string>& written);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
