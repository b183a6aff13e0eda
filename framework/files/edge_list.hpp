#pragma once

#include <cstdint>
#include <filesystem>
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
  std::vector<Edge> edges;  ///< in the order of the file
};

/// Reads a graph, plain or gzipped: a line `n m` (nodes, edges), then m lines `i j w` with nodes counted from 1, the form
/// of spin glass servers and of max-cut collections. Throws FileError where it cannot be read, else DataError with the
/// line, counted from 1: counts that are wrong or cannot be, a node beyond n, an edge from a node to itself or given
/// twice, a weight that is no finite number, text that is too much.
EdgeList read_edge_list(const std::filesystem::path& path);
/// The same where only the graph is wanted: lines may be `i j`, whose weight is 1.
EdgeList read_graph(const std::filesystem::path& path);

/// num_nodes × num_nodes, by rows: 1 where an edge joins the two nodes, else 0.
std::vector<std::uint8_t> adjacency(const EdgeList& graph);

}  // namespace v1
}  // namespace harmonium
