#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/program/work/data_units.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What export says of the way from the numbers x of a data file to those z that a model's parameters are about.
struct ExportedTransform {
  std::string formula;                                     ///< z by x; empty where they are the same
  std::vector<std::pair<std::string, std::string>> files;  ///< name and content
};
/// Columns are called as in the data, where `header` has their names; those of labels are left out.
ExportedTransform exported_transform(const DataUnits& units, const ModelHeader& header, const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
