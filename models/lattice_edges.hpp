#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/model/parameters.hpp>
#include <harmonium/framework/model/site_grid.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A number an axis.
using SiteOffset = std::vector<std::int64_t>;

/// The edges of a grid whose sites are joined with those at some offsets from them, by default with the next one along each axis:
/// site after site, and at each its offsets in order. `shared`: the entry of an edge is its offset, else its number. Throws
/// ConfigError where an offset is no vector of the grid or joins nothing, where two sites are joined twice, or where a site is
/// joined with itself.
std::vector<Edge> edges_of(const SiteGrid& grid, std::vector<SiteOffset> offsets, bool shared);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
