#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The units of a layer as sites of a grid, in row order: the last axis changes fastest.
struct SiteGrid {
  std::vector<Index> shape;  ///< sites along each axis
  std::vector<bool> open;    ///< of each axis: it ends, in place of going round

  Index num_sites() const;
  /// The coordinates of a site, one an axis.
  std::vector<std::int64_t> place_of(Index site) const;
  /// The site at coordinates that may lie outside; nothing where an open axis ends before.
  std::optional<Index> site_at(std::span<const std::int64_t> place) const;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
