#include <harmonium/program/paired/same_columns.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Names = std::vector<std::string>;

bool all_differ(Names names) {
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

/// The first that the others lack; empty where they have all.
std::string lacked(const Names& names, const Names& others) {
  for (const std::string& name : names)
    if (std::ranges::find(others, name) == others.end()) return name;
  return "";
}

/// ", as 'city=Lima'", where the names of the columns tell one.
std::string example(const RowsOfModel& one, const RowsOfModel& other) {
  const std::string name = lacked(one.judged.column_names, other.judged.column_names);
  return name.empty() ? "" : fmt::format(", '{}' of {} alone", name, one.model);
}

/// Of 'city=Lima' city, which has a number for each of its words.
std::string column_of(const std::string& name) { return name.substr(0, name.find('=')); }

/// The columns of the data: numbers side by side whose names begin alike, "city=Lima" and "city=Oslo", are of one.
std::vector<SameColumn> columns_of(const Names& names) {
  std::vector<SameColumn> columns;
  for (Index c = 0; c < names.size(); ++c) {
    const std::string name = column_of(names[c]);
    if (c > 0 && name != names[c] && columns.back().name == name) ++columns.back().one.width;
    else columns.push_back({name, {c, 1}, {}});
  }
  return columns;
}

/// Where both have the same columns of the data, and name them; nothing where they do not.
std::optional<std::vector<SameColumn>> columns_by_name(const Names& a, const Names& b) {
  std::vector<SameColumn> columns = columns_of(a);
  const std::vector<SameColumn> others = columns_of(b);
  if (columns.size() != others.size()) return {};
  for (SameColumn& column : columns) {
    if (std::ranges::count(columns, column.name, &SameColumn::name) != 1) return {};
    const auto found = std::ranges::find(others, column.name, &SameColumn::name);
    if (found == others.end()) return {};
    column.other = found->one;
  }
  return columns;
}

}  // namespace

std::vector<SameColumn> same_columns(const RowsOfModel& one, const RowsOfModel& other, const std::string& option) {
  const Names &a = one.judged.column_names, &b = other.judged.column_names;
  const bool same_width = one.judged.columns == other.judged.columns, named = all_differ(a) && all_differ(b) &&
                                                                              a.size() == one.judged.columns &&
                                                                              b.size() == other.judged.columns;
  if (named && !(same_width && lacked(a, b).empty()))
    if (auto columns = columns_by_name(a, b)) return *std::move(columns);
  if (!same_width)
    throw DataError(fmt::format(
        "{}: {} makes {} numbers of a row of {}, and {} makes {}{}{}: they were trained on other columns, and "
        "likelihoods of other things have no difference. Train both on the same columns.",
        option, other.model, other.judged.columns, one.judged.words, one.model, one.judged.columns, example(one, other),
        example(other, one)));
  const bool by_name = named && lacked(a, b).empty();
  std::vector<SameColumn> columns;
  for (Index c = 0; c < one.judged.columns; ++c) {
    const Index place = by_name ? static_cast<Index>(std::ranges::find(b, a[c]) - b.begin()) : c;
    columns.push_back({c < a.size() ? a[c] : "", {c, 1}, {place, 1}});
  }
  return columns;
}

std::string text_in(const RowsOfModel& rows, const ColumnPlace& place, std::span<const double> row) {
  const auto own = row.subspan(place.first, place.width);
  if (std::isnan(own[0])) return "";
  const std::string& name = rows.judged.column_names[place.first];
  if (place.width == 1 && column_of(name) == name) return fmt::format("{:.9g}", own[0]);
  const auto k = static_cast<Index>(std::ranges::max_element(own) - own.begin());
  const std::string& told = rows.judged.column_names[place.first + k];
  return told.substr(column_of(told).size() + 1);
}

}  // namespace v1
}  // namespace harmonium
