#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/files/npz.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Edges that an archive of arrays (.npz) has by name.
struct EdgeArrays {
  std::string edges = {};  ///< FILE.npz:array=NAME of N x 2 nodes, or of N x 3: i, j, w; empty: there are none by name
  std::string weights = {};  ///< the same of N couplings; empty: they are in the third column
};

/// Whether an array is called as edges are, in letters of either case.
bool is_called_edges(const std::string& name);
/// Whether the arrays' shapes are those of edges and of their couplings, the latter null where there are none.
bool are_edges(const NpzShape& edges, const NpzShape* weights);
/// What to do where arrays look like edges in part, two sentences at most and a blank; empty where none does. `named_weights` are those
/// that are called as couplings.
std::string advice_on_edges(const std::string& file, const std::vector<NpzShape>& arrays,
                            const std::vector<std::string>& named_weights);

/// Throws DataError, as read_edge_list does, with the row of an edge.
EdgeList read_edge_arrays(const EdgeArrays& arrays);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
