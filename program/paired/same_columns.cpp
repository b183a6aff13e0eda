#include <harmonium/program/paired/same_columns.hpp>

#include <algorithm>
#include <numeric>

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

}  // namespace

std::vector<Index> places_of_columns(const RowsOfModel& one, const RowsOfModel& other, const std::string& option) {
  const Names &a = one.judged.column_names, &b = other.judged.column_names;
  if (one.judged.columns != other.judged.columns)
    throw DataError(fmt::format(
        "{}: {} makes {} numbers of a row of {}, and {} makes {}{}{}: they were trained on other columns, or take them "
        "for other kinds, and likelihoods of other things have no difference. Train both on the same columns and "
        "kinds.",
        option, other.model, other.judged.columns, one.judged.words, one.model, one.judged.columns, example(one, other),
        example(other, one)));
  std::vector<Index> places(one.judged.columns);
  std::iota(places.begin(), places.end(), Index{0});
  if (!all_differ(a) || !all_differ(b) || !lacked(a, b).empty() || a.size() != b.size()) return places;
  for (Index c = 0; c < places.size(); ++c) places[c] = static_cast<Index>(std::ranges::find(b, a[c]) - b.begin());
  return places;
}

}  // namespace v1
}  // namespace harmonium
