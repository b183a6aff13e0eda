#include <harmonium/program/paired/density_words.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <harmonium/program/paired/same_columns.hpp>
#include <harmonium/program/stack/above_of_parts.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// "'a', 'b' and 4 more"
std::string columns_in_words(const std::vector<std::string>& names, Index all) {
  constexpr std::size_t most = 4;
  if (names.size() > most && names.size() == all) return fmt::format("all {} columns", all);
  const std::size_t named = names.size() > most ? most - 1 : names.size();
  std::vector<std::string> words;
  for (std::size_t k = 0; k < named; ++k) words.push_back(fmt::format("'{}'", names[k]));
  if (named < names.size()) words.push_back(fmt::format("{} more", names.size() - named));
  return joined_words(words);
}

/// Of columns that are densities of the first of the two alone.
std::string words_on_those_of(const RowsOfModel& dense, const RowsOfModel& other) {
  const JudgedRows &a = dense.judged, &b = other.judged;
  std::vector<std::string> names;
  for (const SameColumn& column : same_columns(dense, other, ""))
    if (a.densities[column.one.first] && !b.densities[column.other.first]) names.push_back(column.name);
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return fmt::format(
      "{} {} under {} and {} under {}: a difference of log likelihoods compares these at a width of 1 of {} unit.",
      columns_in_words(names, a.columns), one ? "is a density" : "are densities", dense.model,
      one ? "a probability" : "probabilities", other.model, one ? "the column's" : "each column's");
}

}  // namespace

std::string words_on_densities(const RowsOfModel& one, const RowsOfModel& other) {
  const std::string of_one = words_on_those_of(one, other), of_other = words_on_those_of(other, one);
  return of_one + (of_one.empty() || of_other.empty() ? "" : " ") + of_other;
}

}  // namespace v1
}  // namespace harmonium
