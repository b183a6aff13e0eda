#pragma once

#include <algorithm>
#include <span>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/pictures/shading.hpp>

namespace harmonium {
inline namespace v1 {

/// A tile: the values of one vector as height × width cells, row by row.
struct TileShape {
  Index height = 1, width = 1;
  Index size() const { return height * width; }
  bool operator==(const TileShape&) const = default;
};

/// The tile of a vector of `columns` values whose sample has the dimensions `sample` (may be empty: unknown). Where two
/// of them exceed 1 and their product is `columns`: these two. Else a square where `columns` is one of at least 4, else
/// a line.
TileShape tile_shape(Index columns, std::span<const Index> sample);

/// Where tiles stand and how large. Items fill the rows of a grid from the top left; an item is `band` tiles, one
/// above the other. A cell is scale_x × scale_y points; `gutter` points lie between tiles and around them, three times as
/// many between bands of more than one tile.
struct Grid {
  TileShape tile;
  Index items = 0, columns = 1, band = 1;
  Index scale_x = 1, scale_y = 1, gutter = 1;

  Index band_rows() const { return (std::max<Index>(items, 1) + columns - 1) / columns; }
  Index width() const;
  Index height() const;
  /// The first point of an item's tile.
  Index left(Index item) const;
  Index top(Index item, Index layer) const;
};

/// Lays out `items`, at least one. `columns` 0: as many as make the picture a little wider than high and leave few places
/// empty; lines are put one below the other, in several
/// columns where they are many and short. Small tiles are magnified by whole numbers. Throws ConfigError (without a
/// place) for more points than `most_points` or more than 1,000,000 on a side.
Grid plan_grid(Index items, TileShape tile, Index columns = 0, Index band = 1);

inline constexpr Index most_points = 50'000'000;
/// As many items as a picture holds for certain, at least 1.
Index most_items(TileShape tile, Index band = 1);

/// Draws tile (item i, layer b) from row i * band + b of `tiles`, which has items * band rows and tile.size() columns.
/// The rest is the frame.
Image draw_tiles(const Grid& grid, MatrixView<const double> tiles, const Shading& shading);

/// A color that no value has: blue about gray tiles, gray about colored ones.
Color frame_color(const Shading& shading);

}  // namespace v1
}  // namespace harmonium
