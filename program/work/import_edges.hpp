#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/program/work/edge_arrays.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError where the file or folder of edges, or that of fields, is not there.
void check_import_inputs(const ImportRequest& request);

/// What --fields says of every unit alike, with the sign of the couplings; nothing where it names a file.
std::optional<double> uniform_field(const ImportRequest& request);

struct ImportedEdges {
  EdgeList graph;
  std::string units;  ///< as units_of_edges says
  bool spins() const { return units != "binary"; }
};
/// A file of edges, or a matrix; one that does not say how many nodes there are has as many as there are fields, if these are more.
/// Where an archive has edges by name (take_archive) these are
/// read. Throws as read_edge_list and units_of_edges do, and ConfigError where a file is of another kind, or fields are not as many as units.
ImportedEdges read_imported_edges(const ImportRequest& request, const EdgeArrays& arrays = {});

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
