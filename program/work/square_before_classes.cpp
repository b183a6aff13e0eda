#include <harmonium/program/work/square_before_classes.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <harmonium/framework/files/one_hot_columns.hpp>
#include <harmonium/framework/files/probability_columns.hpp>
#include <harmonium/framework/pictures/tiles.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether the columns from `begin` to before `end` sum to 1 in every row.
bool sum_to_one(const Table& table, Index begin, Index end) {
  for (Index r = 0; r < table.rows; ++r) {
    double sum = 0.0;
    for (Index c = begin; c < end; ++c) sum += table.at(r, c);
    if (!(std::abs(sum - 1.0) < 1e-4)) return false;
  }
  return true;
}

/// Whether random bits would rarely (1 in 32) be one-hot in every row, which each row is with probability n / 2^n.
bool no_chance(Index rows, Index classes) {
  const auto n = static_cast<double>(classes);
  return static_cast<double>(rows) * (n - std::log2(n)) >= 5.0;
}

}  // namespace

std::optional<std::vector<Index>> square_before_classes(const Table& table) {
  const std::span<const Index> sample = std::span(table.shape).subspan(std::min<std::size_t>(1, table.shape.size()));
  if (table.rows == 0 || table.cols < 6 || sample.size() > 1 || tile_shape(table.cols, sample).height > 1) return {};
  const auto largest = static_cast<Index>(std::sqrt(static_cast<double>(table.cols - 2)));
  for (Index side = largest; side >= 2; --side) {
    const Index first = side * side, classes = table.cols - first;
    if (!no_chance(table.rows, classes)) continue;
    if (one_hot_columns(table, first).empty() && likeliest_columns(table, first).empty()) continue;
    const Index before = first > classes ? first - classes : 0;
    if (sum_to_one(table, before, first)) return {};
    return std::vector<Index>{side, side};
  }
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
