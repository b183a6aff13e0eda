#pragma once

#include <span>
#include <string>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>

namespace harmonium {
inline namespace v1 {

/// A number for each pair of sites, as a square: row i and column j, from the top left, counted from 1 on both axes.
struct PairMap {
  Index sites = 0;
  std::span<const double> values;  ///< sites × sites, finite
  std::string axis, color;         ///< what the axes count, and what colors stand for
};

/// More sites are no picture on a screen, and a long script.
inline constexpr Index most_sites_of_map = 4000;

/// Blue below zero, white at it, red above; the ends of the scale as signed_shading has them. How gnuplot draws it, and how large.
std::string pair_map_script(const PairMap& map);
inline constexpr FigureSize size_of_pair_map{620, 540};

/// The number at which the scale ends, on either side of 0.
double end_of_scale(const PairMap& map);

}  // namespace v1
}  // namespace harmonium
