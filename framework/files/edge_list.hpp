#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// A weighted graph without loops and parallel edges.
struct EdgeList {
  struct Edge {
    Index a, b;  ///< counted from 0, a < b
    double weight;
  };
  Index num_nodes = 0;
  std::vector<Edge> edges = {};  ///< in the order of the file
  Index first = 1;               ///< the number that the file gives the first node
  bool counted =
      true;  ///< whether the file says how many nodes there are; else they are as many as the last one that has an edge
  /// Of a file that export wrote the layer whose units it joins, "" where it joins none; of all others nothing.
  std::optional<std::string> exported_layer = {};

  bool may_have(Index nodes) const { return counted ? nodes == num_nodes : nodes >= num_nodes; }
};

/// Reads a graph, plain or gzipped: a line `n m` (nodes, edges), then m lines `i j w`, the form of spin glass servers and of
/// max-cut collections; or such lines alone. Nodes count from 1, or from 0 where an edge has a node 0. Commas count as blanks;
/// what follows a `#` and empty lines are passed over. Or what `harmonium export` writes of couplings: `unit,other,value`, then
/// lines `visible[0],visible[1],w`, counted from 0. A first line of three words is passed over. Or a matrix, which
/// edge_list_or_matrix.hpp tells from edges (coupling_matrix.hpp). Nodes are whole numbers, 3, 3.0 or 3.000e+00. An array (.npy, or one of
/// an .npz) of N x 3 numbers, N not 3, has an edge in each row. Throws FileError where it cannot be read, else DataError: with the
/// line, counted from 1, or the row of an array, counted from 0, counts that are wrong or cannot be, a node beyond n, an edge from a node to itself or given twice, a weight
/// that is no finite number, text that is too much; and a file that may be either.
EdgeList read_edge_list(const std::filesystem::path& path);
/// The same where only the graph is wanted: lines may be `i j`, whose weight is 1.
EdgeList read_graph(const std::filesystem::path& path);

/// num_nodes × num_nodes, by rows: 1 where an edge joins the two nodes, else 0.
std::vector<std::uint8_t> adjacency(const EdgeList& graph);

}  // namespace v1
}  // namespace harmonium
