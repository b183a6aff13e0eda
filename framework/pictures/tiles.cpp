#include <harmonium/framework/pictures/tiles.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index longest_side = 1'000'000;  // libpng's own limit

bool is_line(TileShape tile) { return tile.height == 1 && tile.width > 1; }

double ratio(const Grid& g) { return static_cast<double>(g.width()) / static_cast<double>(g.height()); }

/// Columns for the smallest of a cost: how far the picture is from 5:4, and how many places are empty.
Index best_columns(Grid g) {
  Index best = 1;
  double min = std::numeric_limits<double>::infinity();
  for (g.columns = 1; g.columns <= std::min<Index>(g.items, 1000); ++g.columns) {
    const auto places = static_cast<double>(g.columns * g.band_rows());
    const double empty = 1.0 - static_cast<double>(g.items) / places;
    const double cost = std::abs(std::log(ratio(g) / 1.25)) + 8.0 * empty;
    if (cost >= min) continue;
    min = cost;
    best = g.columns;
  }
  return best;
}

}  // namespace

TileShape tile_shape(Index columns, std::span<const Index> sample) {
  std::vector<Index> sides;
  for (const Index size : sample)
    if (size > 1) sides.push_back(size);
  if (sides.size() == 2 && sides[0] * sides[1] == columns) return {sides[0], sides[1]};
  const auto side = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(columns))));
  if (side >= 2 && side * side == columns) return {side, side};
  return {1, columns};
}

Index Grid::width() const { return columns * (tile.width * scale_x + gutter) + gutter; }
Index Grid::height() const {
  return band_rows() * band * (tile.height * scale_y + gutter) + gutter +
         (band > 1 ? (band_rows() - 1) * 2 * gutter : 0);
}
Index Grid::left(Index item) const { return gutter + (item % columns) * (tile.width * scale_x + gutter); }
Index Grid::top(Index item, Index layer) const {
  const Index row = item / columns;
  return gutter + (row * band + layer) * (tile.height * scale_y + gutter) + (band > 1 ? row * 2 * gutter : 0);
}

Grid plan_grid(Index items, TileShape tile, Index columns, Index band) {
  Grid g;
  g.tile = tile;
  g.items = items;
  g.band = band;
  // Points of a picture that a screen shows whole, and of a tile that is large enough to see.
  constexpr Index wide = 960, high = 720;
  const auto large =
      std::max<Index>(64, static_cast<Index>(256.0 / std::sqrt(static_cast<double>(std::max<Index>(items, 1)))));
  if (is_line(tile)) {
    constexpr Index lines = 48;  // that the eye still follows
    const Index fitting = std::max<Index>(1, wide / (4 * tile.width));
    g.columns = columns ? columns : std::clamp<Index>((items * band + lines - 1) / lines, 1, fitting);
    g.gutter = g.columns > 1 ? 2 : 1;
    g.scale_x = std::clamp<Index>(wide / (g.columns * tile.width), 1, 16);
    g.scale_y = std::clamp<Index>(high / (g.band_rows() * band), 3, 16);
  } else {
    g.gutter = std::max(tile.height, tile.width) >= 16 ? 2 : 1;
    g.columns = columns ? columns : best_columns(g);
    const Index scale = std::min({wide / g.width(), high / g.height(), large / std::max(tile.height, tile.width)});
    g.scale_x = g.scale_y = std::max<Index>(scale, 1);
    if (g.scale_x > 2) g.gutter = 2;
  }
  const double w = static_cast<double>(g.columns) * static_cast<double>(tile.width * g.scale_x + g.gutter);
  const double h = static_cast<double>(g.band_rows() * band) * static_cast<double>(tile.height * g.scale_y + g.gutter);
  if (std::max(w, h) >= longest_side || w * h > static_cast<double>(most_points))
    throw ConfigError(
        fmt::format("the picture would have {:.0f} x {:.0f} points, and the most is {} million. Draw fewer.", w, h,
                    most_points / 1'000'000));
  return g;
}

Index most_items(TileShape tile, Index band) {
  const double points = static_cast<double>(tile.width + 2) * static_cast<double>((tile.height + 3) * band) * 3.0;
  const Index by_points = static_cast<Index>(static_cast<double>(most_points) / points);
  const Index by_side = longest_side / (20 * band);  // lines, one below the other
  return std::max<Index>(1, std::min(by_points, by_side));
}

Color frame_color(const Shading& shading) {
  return shading.map == Shading::Map::gray ? Color{48, 84, 150} : Color{96, 96, 96};
}

Image draw_tiles(const Grid& grid, MatrixView<const double> tiles, const Shading& shading) {
  Image image(grid.width(), grid.height(), frame_color(shading));
  for (Index t = 0; t < grid.items * grid.band; ++t) {
    const double* values = tiles.row(t);
    const Index left = grid.left(t / grid.band), top = grid.top(t / grid.band, t % grid.band);
    for (Index y = 0; y < grid.tile.height; ++y)
      for (Index x = 0; x < grid.tile.width; ++x) {
        const Color color = color_of(values[y * grid.tile.width + x], shading);
        for (Index row = 0; row < grid.scale_y; ++row)
          std::fill_n(&image(top + y * grid.scale_y + row, left + x * grid.scale_x), grid.scale_x, color);
      }
  }
  return image;
}

}  // namespace v1
}  // namespace harmonium
