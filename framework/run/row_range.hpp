#pragma once

#include <charconv>
#include <numeric>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/dataset.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows BEGIN to END − 1 of those that a command reads, counted from 0: data.rows=BEGIN:END, beside a number of rows at random.
struct RowRange {
  Index begin = 0, end = 0;
  std::string text;  ///< "--set data.rows=0:20"

  /// Takes a range out of a [data] table; none where `rows` is no text. Throws ConfigError for one that is no range.
  static std::optional<RowRange> take(Value& spec) {
    const Value* rows = spec.find("rows");
    const auto* given = rows ? std::get_if<std::string>(&rows->data) : nullptr;
    if (!given) return {};
    RowRange range;
    range.text = rows->where.empty() ? "data.rows=" + *given : rows->where;
    const char *const last = given->data() + given->size(), *at = given->data();
    const auto read = [&](Index& number) {
      const auto [behind, error] = std::from_chars(at, last, number);
      if (error != std::errc()) return false;
      at = behind;
      return true;
    };
    const bool whole = read(range.begin) && at != last && *at++ == ':' && read(range.end) && at == last;
    if (!whole || range.begin >= range.end)
      throw ConfigError(
          fmt::format("{}: '{}' is no range of rows. Write BEGIN:END, counted from 0 and without the row END, as in "
                      "rows=0:20; a number alone is that of rows drawn at random.",
                      range.text, *given));
    spec.erase("rows");
    return range;
  }

  /// Throws ConfigError where there are fewer rows.
  Dataset of(const Dataset& data) const {
    if (end > data.rows())
      throw ConfigError(
          fmt::format("{}: {} has {} rows, from 0 to {}. Lower END.", text, data.name(), data.rows(), data.rows() - 1));
    std::vector<Index> rows(end - begin);
    std::iota(rows.begin(), rows.end(), begin);
    return data.part(std::move(rows));
  }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
