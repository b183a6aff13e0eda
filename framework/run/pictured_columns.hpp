#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/run/pictures.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The tile of a vector of `columns` values: what was asked for, or what suits; `unit_width`: columns of a unit. Throws ConfigError,
/// with `advice` at its end, where what was asked for is of another size.
TileShape tile_for(Index columns, const PictureStyle& style, Index unit_width = 1, const std::string& advice = "");

/// Tiles in one shading, with a line that says what they are. `units`: of the values; empty: those of the file.
Picture finish_picture(const Grid& grid, const std::vector<double>& values, const Shading& shading,
                       const std::string& caption, const std::string& units = "");

/// Which columns of rows are drawn, and in which colors: those of all observed layers but that of the labels, side by side; or
/// those of one layer, where the style's shape has its size.
class PicturedColumns {
 public:
  /// `layout` must outlive it. Throws ConfigError for a shape of another size.
  PicturedColumns(const Layout& layout, const PictureStyle& style);

  const std::vector<LayerId>& layers() const { return layers_; }
  TileShape tile() const { return tile_; }
  /// `values`: of each tile one after the other, in the order of the layers.
  Picture finish(const Grid& grid, std::vector<double> values, const std::string& caption) const;

 private:
  const Layout* layout_;
  std::vector<LayerId> layers_;
  bool alone_ = false;  ///< whether other layers are left out
  TileShape tile_;
  std::string units_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
