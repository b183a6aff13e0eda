#include <harmonium/framework/pictures/shading.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace harmonium {
inline namespace v1 {
namespace {

// ColorBrewer, RdBu, 11 classes, from blue to red; its middle (247) made white.
constexpr std::array<Color, 11> blue_to_red{{{5, 48, 97},
                                             {33, 102, 172},
                                             {67, 147, 195},
                                             {146, 197, 222},
                                             {209, 229, 240},
                                             {255, 255, 255},
                                             {253, 219, 199},
                                             {244, 165, 130},
                                             {214, 96, 77},
                                             {178, 24, 43},
                                             {103, 0, 31}}};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double share) {
  return static_cast<std::uint8_t>(std::lround(a + share * (b - a)));
}

/// What 99.5 % of the sizes of the finite values do not exceed; where that is 0, the largest size, or else 1.
double common_size(std::span<const double> values) {
  std::vector<double> sizes;
  for (const double v : values)
    if (std::isfinite(v)) sizes.push_back(std::abs(v));
  if (sizes.empty()) return 1.0;
  const auto count = static_cast<double>(sizes.size());
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(std::ceil(0.995 * count)) - 1;
  std::ranges::nth_element(sizes, at);
  const double size = *at > 0.0 ? *at : std::ranges::max(sizes);
  return size > 0.0 ? size : 1.0;
}

}  // namespace

Color color_of(double value, const Shading& shading) {
  if (!std::isfinite(value)) return signal_color;
  // Halves, so that a range as wide as the numbers themselves does not overflow.
  const double share =
      std::clamp((0.5 * value - 0.5 * shading.low) / (0.5 * shading.high - 0.5 * shading.low), 0.0, 1.0);
  if (shading.map == Shading::Map::gray) {
    const std::uint8_t level = between(0, 255, share);
    return {level, level, level};
  }
  const double place = share * static_cast<double>(blue_to_red.size() - 1);
  const auto step = std::min(static_cast<std::size_t>(place), blue_to_red.size() - 2);
  const Color &a = blue_to_red[step], &b = blue_to_red[step + 1];
  const double rest = place - static_cast<double>(step);
  return {between(a.red, b.red, rest), between(a.green, b.green, rest), between(a.blue, b.blue, rest)};
}

Shading signed_shading(std::span<const double> values) {
  const double size = common_size(values);
  return {Shading::Map::diverging, -size, size};
}

Shading gray_shading(std::span<const double> values) {
  double min = 0.0, max = 0.0;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    min = std::min(min, v);
    max = std::max(max, v);
  }
  if (min >= 0.0 && max <= 1.0) return {};
  const double size = common_size(values);
  return {Shading::Map::gray, min < 0.0 ? -size : 0.0, size};
}

}  // namespace v1
}  // namespace harmonium
