#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/dataset.hpp>

/// Whether bits can be made of values by a range. Internal to this folder. What a Dataset stores is private, so that its type
/// is deduced.
namespace harmonium {
inline namespace v1 {

// What one look at all numbers of a table tells. `value_of` gives the value of a number.
struct ValueOverview {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool finite = true, bits = true;
  bool raw_bits = true;  ///< before the scale
  bool spins = true;     ///< -1 and 1

  template <class Number, class ValueOf>
  void take(Number number, const ValueOf& value_of) {
    const double v = value_of(static_cast<double>(number));
    low = std::min(low, v);
    high = std::max(high, v);
    finite &= std::abs(v) <= std::numeric_limits<double>::max();
    bits &= v == 0.0 || v == 1.0;
    spins &= v == -1.0 || v == 1.0;
    raw_bits &= number == Number{0} || number == Number{1};
  }
};

// The first number, row by row, whose value is below `low` or above `high`.
template <class Storage>
std::optional<Index> first_value_beyond(const Storage& s, double low, double high) {
  return std::visit(
      [&](const auto& values) -> std::optional<Index> {
        for (Index i = 0; i < values.size(); ++i)
          if (const double v = s.value(static_cast<double>(values[i])); v < low || v > high) return i;
        return {};
      },
      s.table.values);
}

// Numbers on another scale than the range, of which bits would all, or nearly all, be the same.
template <class Storage>
void check_scale(const Storage& s, const ValueOverview& all, bool range_given) {
  const double width = s.range.high - s.range.low;
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    throw ConfigError(
        fmt::format("{}: its values go from {:g} to {:g}, and bits are made by the range {:g} to {:g}: {}. {}", s.name,
                    all.low, all.high, s.range.low, s.range.high, why, remedy));
  };
  if (all.high > s.range.high + width || all.low < s.range.low - width)
    refuse("they are on another scale", "Set data.scale or data.range to those of these values.");
  // Of whole numbers, such as bytes, that were divided by the largest: before the scale, which the range is after.
  const double low = all.low / s.scale, high = all.high / s.scale, white = s.range.high / s.scale;
  constexpr double least_levels = 4;
  if (!all.raw_bits && s.range.low == 0 && low >= 0 && high <= 1 && white >= least_levels &&
      std::abs(white - std::round(white)) < 1e-9 * white)
    refuse("fractions between 0 and 1 are on another scale, and nearly all bits would be 0",
           s.scale == 1 ? fmt::format("Gray values, such as means, are taken as they are by --set data.binarize=none. "
                                      "For bits multiply them (data.scale = {:g}), or set data.range = [0, 1].",
                                      white)
                        : "Gray values, such as means, are taken as they are by --set data.binarize=none "
                          "--set data.scale=1. For bits set data.scale = 1, and data.range = [0, 1].");
  // Levels from 0 to 16, say, whose white was not told. Of a threshold, all that is left is one value, of which others tell.
  constexpr double dark = 1.0 / 8;
  if (range_given || !s.table.is_bytes() || s.scale < 0 || s.binarize == Binarize::threshold) return;
  if (all.high <= s.range.low + dark * width)
    refuse("nearly all bits would be 0",
           fmt::format("Set data.range = [0, {:g}], or to what black and white are.", all.high));
}

// Values beyond an end that no value of such a scale is beyond: 0, where the range begins or ends with it, and the white of
// a gray scale. Other ends may be those of the rows that were trained on, which other rows may well exceed a little.
template <class Storage>
void check_ends(const Storage& s, const ValueOverview& all) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double slack = 1e-9 * (s.range.high - s.range.low);  // of rounding, by the scale
  const bool gray = s.range.low == 0 && (s.range.high == 1 || std::abs(s.range.high - 255 * s.scale) <= slack);
  const double low = s.range.low == 0 ? -slack : -infinity;
  const double high = gray || s.range.high == 0 ? s.range.high + slack : infinity;
  if (all.low >= low && all.high <= high) return;
  const std::optional<Index> beyond = first_value_beyond(s, low, high);
  if (!beyond) return;
  const double v = s.value_at(*beyond);
  throw ConfigError(
      fmt::format("{}: its values go from {:g} to {:g}, and bits are made by the range {:g} to {:g}: {} is {:g}, {} "
                  "all values of such a scale. Give values as those of the training were before bits were made of "
                  "them, or set data.range = [{:g}, {:g}], whose middle then decides.",
                  s.name, all.low, all.high, s.range.low, s.range.high,
                  text_of(ValuePlace{*beyond / s.table.cols, *beyond % s.table.cols, v}), v,
                  v < low ? "below" : "above", all.low, all.high));
}

// Whether bits can be made by the range, and drawn by it where they are.
template <class Storage>
void check_range(const Storage& s, const ValueOverview& all, bool range_given) {
  if (!(s.range.low < s.range.high)) {
    throw ConfigError(fmt::format("{}: every value is {}, so that no range is known to make bits by: set data.range.",
                                  s.name, s.range.low));
  }
  if (!all.bits) check_scale(s, all, range_given);
  if (s.binarize == Binarize::threshold) {
    check_ends(s, all);
    return;
  }
  constexpr Index addresses = std::numeric_limits<std::uint32_t>::max();
  if (s.table.rows > addresses || s.table.cols > addresses)
    throw DataError(fmt::format("{}: bits are drawn for at most {} rows and columns", s.name, addresses));
  if (all.low >= s.range.low && all.high <= s.range.high) return;
  const std::optional<Index> beyond = first_value_beyond(s, s.range.low, s.range.high);
  if (!beyond) return;
  throw ConfigError(
      fmt::format("{} is {}, outside the range {} to {} in which values are probabilities: set data.scale, "
                  "data.range or data.binarize.",
                  s.place(*beyond), s.value_at(*beyond), s.range.low, s.range.high));
}

}  // namespace v1
}  // namespace harmonium
