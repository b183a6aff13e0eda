#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/files/edge_list_words.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// Edges as they are read. What no graph may have is told to `refuse`, which throws with the place.
class GatheredEdges {
 public:
  explicit GatheredEdges(bool weighted) : weighted_(weighted) {}

  void see(Index node) {
    zero_ = zero_ || node == 0;
    last_ = std::max(last_, node);
  }
  bool has_zero() const { return zero_; }
  Index last() const { return last_; }

  void add(Index i, Index j, double weight, const auto& refuse) {
    if (i == j)
      refuse(fmt::format("an edge from node {} to itself. Leave it out{}", i,
                         weighted_ ? fmt::format("; {}", advice_on_fields) : ""));
    const Index a = std::min(i, j), b = std::max(i, j);
    if (!seen_.insert(static_cast<std::uint64_t>(a) << 32 | b).second)
      refuse(
          fmt::format("the edge of nodes {} and {} is given twice; where the file has both directions of each edge, "
                      "keep one, and two bonds of a "
                      "pair are one with the sum of their weights",
                      i, j));
    graph.edges.push_back({a, b, weight});
  }

  /// Counted from 0, in whatever way they were.
  EdgeList finish() {
    graph.first = zero_ ? 0 : 1;
    if (!graph.counted) graph.num_nodes = last_ + 1 - graph.first;
    for (EdgeList::Edge& e : graph.edges) {
      e.a -= graph.first;
      e.b -= graph.first;
    }
    return std::move(graph);
  }

  EdgeList graph;

 private:
  bool weighted_;      ///< each edge has its weight
  bool zero_ = false;  ///< there is a node 0
  Index last_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

/// The edges `i j w` in the rows of an array of three columns, however many; `path` is what errors call it. Throws DataError as
/// read_edge_list does.
EdgeList edges_in_rows(const Table& table, const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
