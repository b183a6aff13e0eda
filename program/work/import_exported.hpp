#pragma once

#include <string>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of a folder that export wrote of one layer, and that does not say what the model is: its couplings and, where it has them, its
/// biases take the folder's place. Throws DataError where it is of anything else, ConfigError where fields were given beside its own.
void take_exported(ImportRequest& request);

/// The kind of the units that a file of couplings joins, "spin" or "binary"; empty where export wrote them and does not say, which are
/// taken for spins. The graph takes the number of units that is said. Throws DataError where units are of another kind, or more than
/// said.
std::string units_of_edges(const ImportRequest& request, EdgeList& graph);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
