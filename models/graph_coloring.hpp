#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The neighbors of each node of a graph, each edge given from both ends.
using Neighbors = std::vector<std::vector<std::uint32_t>>;

/// The nodes in classes of which no two are neighbors, each class in ascending order. By saturation (Brélaz 1979): always
/// the node next whose neighbors have most colors already, of those the one with most neighbors, of those the first;
/// it gets the lowest color that is free. Two classes wherever two are enough, few otherwise; the same for the same graph.
std::vector<std::vector<Index>> color_graph(const Neighbors& neighbors);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
