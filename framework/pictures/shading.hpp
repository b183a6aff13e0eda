#pragma once

#include <span>

#include <harmonium/framework/files/png.hpp>

namespace harmonium {
inline namespace v1 {

/// How numbers become colors. `gray`: `low` is black and `high` white. `diverging`: `low` is dark blue, the middle
/// white and `high` dark red, by the eleven colors of ColorBrewer's RdBu (Brewer 2003), which people who see no red or
/// no green can tell apart. Between the ends linearly, beyond them as at them. low < high.
struct Shading {
  enum class Map : std::uint8_t { gray, diverging };
  Map map = Map::gray;
  double low = 0.0, high = 1.0;
};

/// What no number is drawn in: NaN and infinity.
inline constexpr Color signal_color{255, 0, 255};

Color color_of(double value, const Shading& shading);

/// For values that are compared with zero, such as couplings: diverging and symmetric about 0, up to what 99.5 % of the
/// sizes do not exceed (all of them, where that is 0), so that a few large values do not leave the rest pale.
Shading signed_shading(std::span<const double> values);
/// For values of which nothing is known: 0 to 1 where all lie there; 0 to what 99.5 % do not exceed where none is
/// negative; else symmetric about 0, which is then the middle gray.
Shading gray_shading(std::span<const double> values);

}  // namespace v1
}  // namespace harmonium
