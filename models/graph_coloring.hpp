#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The neighbours of each node of a graph, each edge given from both ends.
using Neighbours = std::vector<std::vector<std::uint32_t>>;

/// The nodes in classes of which no two are neighbours, each class in ascending order. By saturation (Brélaz 1979): always
/// the node next whose neighbours have most colours already, of those the one with most neighbours, of those the first;
/// it gets the least colour that is free. Two classes wherever two are enough, few otherwise; the same for the same graph.
std::vector<std::vector<Index>> color_graph(const Neighbours& neighbours);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
