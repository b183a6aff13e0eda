#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/model_description.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Says by which formula the model's units come of the data's, where there is one; `more` behind it.
void tell_units(const ExportRequest& request, const std::string& formula, const char* more = "");

/// Writes the tables of a model to a folder, in the place of an earlier export, and returns their paths.
std::vector<std::string> export_folder(const EnergyModel& model, const ModelHeader& header, const DataUnits& units,
                                       const ExportRequest& request, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
