#include <harmonium/framework/run/pictured_columns.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

Index total_columns(const Layout& layout, const std::vector<LayerId>& layers) {
  Index columns = 0;
  for (const LayerId l : layers) columns += layout[l].columns();
  return columns;
}

/// The observed layers that rows have beside their labels.
std::vector<LayerId> layers_of_rows(const Layout& layout) {
  const std::vector<LayerId> observed = layout.ids(layout.observed());
  std::vector<LayerId> rows;
  for (const LayerId l : observed)
    if (layout[l].name != label_layer) rows.push_back(l);
  return rows.empty() ? observed : rows;
}

std::vector<LayerId> pictured_layers(const Layout& layout, const PictureStyle& style) {
  std::vector<LayerId> rows = layers_of_rows(layout);
  const std::vector<Index>& wanted = style.shape ? *style.shape : style.sample_shape;
  if (wanted.empty() || num_values(wanted) == total_columns(layout, rows)) return rows;
  for (const LayerId l : layout.ids(layout.observed()))
    if (num_values(wanted) == layout[l].columns()) return {l};
  return rows;
}

TileShape tile_of_layers(const Layout& layout, const std::vector<LayerId>& layers, const PictureStyle& style) {
  const Index columns = total_columns(layout, layers);
  if (layers.size() == 1) return tile_for(columns, style, layout[layers.front()].unit->width());
  const bool known = style.sample_shape.size() > 1 && num_values(style.sample_shape) == columns;
  return style.shape || known ? tile_for(columns, style) : TileShape{1, columns};  // no square of unlike columns
}

/// Values of an observed layer are gray over the unit's domain, where that is bounded.
Shading shading_of(const Layer& layer, std::span<const double> values) {
  const double low = layer.unit->min(), high = layer.unit->max();
  return std::isfinite(low) && std::isfinite(high) ? Shading{Shading::Map::gray, low, high} : gray_shading(values);
}

/// Makes 0 to 1 of column `c`: from the least to the greatest value that its unit takes or, where there is none, that is there.
void stretch(std::vector<double>& values, Index columns, Index c, const UnitType& unit) {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  for (Index i = c; i < values.size(); i += columns) {
    if (!std::isfinite(values[i])) continue;
    least = std::min(least, values[i]);
    greatest = std::max(greatest, values[i]);
  }
  const double low = std::isfinite(unit.min()) ? unit.min() : least;
  const double high = std::isfinite(unit.max()) ? unit.max() : greatest;
  const double half = high > low ? 0.5 * high - 0.5 * low : 1.0;  // halves do not overflow
  for (Index i = c; i < values.size(); i += columns) values[i] = (0.5 * values[i] - 0.5 * low) / half;
}

std::string ends(const Shading& s) {
  return s.map == Shading::Map::diverging ? fmt::format("{:.4g} (blue) to {:.4g} (red)", s.low, s.high)
                                          : fmt::format("{:.4g} (black) to {:.4g} (white)", s.low, s.high);
}
std::string tile_text(TileShape tile) { return fmt::format("{}x{}", tile.height, tile.width); }

Image image_of(const Grid& grid, const std::vector<double>& values, const Shading& shading) {
  const Index columns = grid.tile.size();
  return draw_tiles(grid, {values.data(), values.size() / columns, columns, columns}, shading);
}

}  // namespace

TileShape tile_for(Index columns, const PictureStyle& style, Index unit_width, const std::string& advice) {
  if (style.shape) {
    const std::vector<Index>& s = *style.shape;
    if (num_values(s) != columns)
      throw ConfigError(fmt::format(
          "--shape {}: that is {} values, but a vector here has {}. Give two numbers whose product is {}, or {} alone "
          "for lines.{}",
          sample_shape_text(s), num_values(s), columns, columns, columns, advice));
    return s.size() == 1 ? TileShape{1, s[0]} : TileShape{s[0], s[1]};
  }
  const TileShape shape = tile_shape(columns, style.sample_shape);
  const bool known = columns == num_values(style.sample_shape);
  if (unit_width > 1 && !known) return {columns / unit_width, unit_width};  // a row of cells for each unit
  return shape;
}

Picture finish_picture(const Grid& grid, const std::vector<double>& values, const Shading& shading,
                       const std::string& caption, const std::string& units) {
  return {image_of(grid, values, shading), fmt::format("{}; {}, from {}{}{}", caption, tile_text(grid.tile),
                                                       ends(shading), units.empty() ? "" : ", in units of ", units)};
}

PicturedColumns::PicturedColumns(const Layout& layout, const PictureStyle& style)
    : layout_(&layout),
      layers_(pictured_layers(layout, style)),
      alone_(layers_ != layers_of_rows(layout)),
      tile_(tile_of_layers(layout, layers_, style)),
      units_(style.units) {}

Picture PicturedColumns::finish(const Grid& grid, std::vector<double> values, const std::string& caption) const {
  if (layers_.size() == 1) {
    const Layer& layer = (*layout_)[layers_.front()];
    const bool transformed = layer.unit->num_states() == 0 && !takes_counts(*layer.unit);
    return finish_picture(grid, values, shading_of(layer, values),
                          caption + (alone_ ? fmt::format(", layer '{}' alone", layer.name) : ""),
                          transformed ? units_ : "");
  }
  std::string names;
  Index first = 0;
  for (const LayerId l : layers_) {
    const Layer& layer = (*layout_)[l];
    names += fmt::format("{}{} ({})", first == 0 ? "" : ", ", layer.name, layer.columns());
    for (Index c = 0; c < layer.columns(); ++c) stretch(values, tile_.size(), first + c, *layer.unit);
    first += layer.columns();
  }
  return {image_of(grid, values, {}),
          fmt::format("{}, layers {} side by side; {}, each cell from the least (black) to the greatest (white) value "
                      "that its unit takes or, where that has no bound, that is drawn in it",
                      caption, names, tile_text(grid.tile))};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
