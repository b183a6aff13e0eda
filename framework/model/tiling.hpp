#pragma once

#include <algorithm>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace v1 {

/// How work on a batch is cut: into tiles of rows, and where there is one tile only, into panels of units as well. A
/// function of sizes alone, so that results do not depend on the number of threads: BLAS may round a row differently
/// when it is computed among others.
struct Tiling {
  Index rows;  ///< a tile; a multiple of 4 (four chains share one block of random words), except for a lone tile

  /// `tile` = 0 picks it: up to 256 rows are one tile, more are cut evenly.
  static Tiling of(Index num_rows, Index tile = 0) {
    constexpr Index most = 256;
    if (tile > 0) return {(tile + 3) / 4 * 4};
    if (num_rows <= most) return {std::max<Index>(num_rows, 1)};
    const Index tiles = (num_rows + most - 1) / most;
    const Index rows = (num_rows + tiles - 1) / tiles;
    return {(rows + 3) / 4 * 4};
  }
  bool one_tile(Index num_rows) const { return num_rows <= rows; }
  /// Rows of a lone tile that share a task where the units of a layer cannot be cut.
  static constexpr Index strip = 32;
  /// Units of a panel of a layer of `units`: an even cut into parts of at most 400, so that two threads share a small
  /// batch.
  static Index panel(Index units) {
    constexpr Index aim = 400;
    const Index panels = (units + aim - 1) / aim;
    const Index panel = (units + std::max<Index>(panels, 1) - 1) / std::max<Index>(panels, 1);
    return std::max<Index>((panel + 15) / 16 * 16, 1);
  }
};

/// body(row_begin, row_end, unit_begin, unit_end) over the pieces of a rows × units piece of work.
template <class Body>
void for_each_piece(const Executor& executor, Tiling tiling, Index num_rows, Index units, const Body& body) {
  if (!tiling.one_tile(num_rows)) {
    executor.for_each_piece(num_rows, tiling.rows, [&](Index begin, Index end) { body(begin, end, Index{0}, units); });
  } else {
    executor.for_each_piece(units, Tiling::panel(units),
                            [&](Index begin, Index end) { body(Index{0}, num_rows, begin, end); });
  }
}

}  // namespace v1
}  // namespace harmonium
