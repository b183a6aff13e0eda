#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The neighbors of each node of a graph, each edge given from both ends.
using Neighbors = std::vector<std::vector<std::uint32_t>>;

/// Colors a graph so that no two neighbors have the same color, and returns the nodes of each color in ascending order.
/// DSATUR (Brélaz 1979): the next node is the one whose neighbors already have the most colors, ties going to the one with
/// the most neighbors, then to the first; it takes the lowest free color. Two colors wherever two are enough; deterministic.
std::vector<std::vector<Index>> color_graph(const Neighbors& neighbors);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
