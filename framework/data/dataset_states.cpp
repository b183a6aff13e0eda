#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/dataset_storage.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Dimensions of the rows: of units of one width, units by states, as sequences have them.
std::vector<Index> shape_of(Index rows, std::span<const Index> widths, Index cols) {
  const bool alike = std::ranges::all_of(widths, [&](Index width) { return width == widths[0]; });
  return alike ? std::vector<Index>{rows, widths.size(), widths[0]} : std::vector<Index>{rows, cols};
}

}  // namespace

Dataset Dataset::with_one_hot_columns(std::span<const Index> widths) const {
  const Storage& s = *storage_;
  if (label_at_ || transform_ || s.binarize != Binarize::none || widths.size() != cols())
    throw std::logic_error(s.name + ": its columns are no states");
  for (Index c = 0; c < widths.size(); ++c) {
    const auto most = static_cast<double>(widths[c]) - 1.0;
    const auto is_state = [&](double v) { return v >= 0.0 && v <= most && v == std::floor(v); };
    const auto wrong = widths[c] > 1 ? first_outside(is_state, c, c + 1) : std::nullopt;
    if (wrong)
      throw ConfigError(fmt::format(
          "[data] {}: {} is {}, but the model has as many units as the file has columns, and a column is read as the "
          "state of its unit, a whole number from 0 to {}: states count from 0. Subtract 1 where they count from 1, "
          "or give a unit of {} states as {} columns, of which one is 1.",
          s.name, text_of(*wrong), wrong->value, most, widths[c], widths[c]));
  }
  const Index cols = std::accumulate(widths.begin(), widths.end(), Index{0});
  const Index rows = s.table.rows;
  Table table{rows, cols, {}, shape_of(rows, widths, cols)};
  // All rows of the file, by which parts count theirs. Rows of no part of this one are not looked at: what is no state there
  // becomes one.
  const auto fill = [&]<class T>(T) {
    const T missing = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T{0};
    std::vector<T> made(rows * cols, T{0});
    T* to = made.data();
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < widths.size(); to += widths[c], ++c) {
        const double v = s.value_at(r * widths.size() + c);
        if (!s.saw(r, c)) std::fill_n(to, widths[c], missing);
        else if (widths[c] == 1) *to = static_cast<T>(v);
        else to[v >= 0.0 && v < static_cast<double>(widths[c]) ? static_cast<Index>(v) : 0] = T{1};
      }
    }
    table.values = std::move(made);
  };
  // As narrow as the file, so that rows are what they are where it has these columns itself.
  if (s.scale == 1 && s.table.is_bytes()) fill(std::uint8_t{});
  else if (s.scale == 1 && std::holds_alternative<NumberArray<float>>(s.table.values)) fill(float{});
  else fill(double{});
  Dataset made(std::move(table), s.name, {.missing = Missing::nan_columns}, {}, files_);
  made.rows_ = rows_;
  made.weights_ = weights_;
  made.labels_ = labels_;
  made.read_as_states_ = true;
  return made;
}

}  // namespace v1
}  // namespace harmonium
