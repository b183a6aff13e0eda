#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/table_schema.hpp>
#include <harmonium/framework/files/csv_fields.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index most_values = 100, most_whole_levels = 10, rows_of_a_level = 5;

/// The texts of a column as levels: numbers from the smallest on, in their shortest form, words by the alphabet.
std::vector<std::string> sorted_levels(const TextColumn& column) {
  std::vector<std::string> levels;
  if (column.are_numbers) {
    std::set<double> numbers;
    for (const double v : column.numbers)
      if (!std::isnan(v)) numbers.insert(v + 0.0);
    for (const double v : numbers) levels.push_back(fmt::format("{}", v));
    return levels;
  }
  levels = column.words;
  std::ranges::sort(levels);
  return levels;
}

bool counts_rows(const TextColumn& column) {
  if (column.numbers.size() < 8) return false;
  for (Index r = 0; r < column.numbers.size(); ++r)
    if (column.numbers[r] != column.numbers[0] + static_cast<double>(r)) return false;
  return true;
}

bool all_whole(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double v) { return std::isnan(v) || v == std::floor(v); });
}

using Levels = std::vector<std::string>;

/// A column of numbers, of which there are few different ones.
ColumnGuess guess_numbers(const TextColumn& column, Index rows, const Levels& levels) {
  const auto made = [&](ColumnKind kind, Levels own) { return ColumnGuess{{column.name, kind, std::move(own)}}; };
  if (levels == Levels{"0", "1"} || levels == Levels{"0"} || levels == Levels{"1"})
    return made(ColumnKind::binary, {"0", "1"});
  if (levels == Levels{"-1", "1"} || levels == Levels{"-1"}) return made(ColumnKind::spin, {"-1", "1"});
  const bool often = levels.size() * rows_of_a_level <= rows;
  if (levels.size() == 2 && often) return made(ColumnKind::binary, levels);
  if (levels.size() > 2 && levels.size() <= most_whole_levels && often && all_whole(column.numbers))
    return made(ColumnKind::categorical, levels);
  return made(ColumnKind::real, {});
}

ColumnGuess guess_words(const TextColumn& column, Index rows, const Levels& levels) {
  ColumnGuess guess{{column.name, ColumnKind::categorical, levels}};
  if (levels.size() == 1) guess.trouble = fmt::format("holds '{:.40}' alone", levels[0]);
  else if (levels.size() == 2) guess.column.kind = ColumnKind::binary;
  else if (levels.size() == rows && rows >= 8) guess.trouble = "holds another text in each row";
  else if (levels.size() > most_values || (levels.size() > most_whole_levels && 4 * levels.size() > rows))
    guess.trouble = fmt::format("holds {} different texts in {} rows", levels.size(), rows);
  return guess;
}

}  // namespace

ColumnGuess guess_column(const TextColumn& column) {
  const Index rows = (column.are_numbers ? column.numbers.size() : column.codes.size()) - column.missing;
  if (column.are_numbers && rows == 0) return {{column.name}, "is empty in every row"};
  if (column.are_numbers && counts_rows(column)) return {{column.name}, "counts the rows"};
  if (column.are_numbers)
    return column.few_words ? guess_numbers(column, rows, sorted_levels(column)) : ColumnGuess{{column.name}};
  if (!column.few_words)
    return {{column.name},
            fmt::format("holds more than {} different texts, such as '{:.40}' in line {}", TextColumn::most_words,
                        column.first_word, column.line_of_word)};
  return guess_words(column, rows, sorted_levels(column));
}

TableColumn told_column(const TextColumn& column, const ColumnOptions& told) {
  TableColumn made{column.name, told.kind, told.levels};
  if (made.kind == ColumnKind::automatic) {
    made.kind = told.levels.empty()       ? guess_column(column).column.kind
                : told.levels.size() == 2 ? ColumnKind::binary
                                          : ColumnKind::categorical;
  }
  if (is_number(made.kind) || !made.levels.empty()) return made;
  if (!column.few_words)
    throw ConfigError(
        fmt::format("[data] kinds: column '{}' is to be {}, and holds more than {} different texts. Leave "
                    "it out by data.ignore, or say that it is real.",
                    column.name, name_of(made.kind), TextColumn::most_words));
  const Levels found = sorted_levels(column);
  const Levels usual = made.kind == ColumnKind::spin ? Levels{"-1", "1"} : Levels{"0", "1"};
  const bool two = made.kind != ColumnKind::categorical;
  const bool are_usual = std::ranges::all_of(
      found, [&](const std::string& level) { return std::ranges::find(usual, level) != usual.end(); });
  made.levels = two && are_usual ? usual : found;
  if (made.levels.size() < 2 || (two && made.levels.size() != 2))
    throw ConfigError(
        fmt::format("[data] kinds: column '{}' is to be {}, and holds {} different values: {:.200}. Say "
                    "another kind, or list its levels.",
                    column.name, name_of(made.kind), found.size(), fmt::format("{}", fmt::join(found, ", "))));
  return made;
}

void ColumnOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<ColumnKind> kinds[] = {
      {"auto", ColumnKind::automatic},          {"binary", ColumnKind::binary}, {"spin", ColumnKind::spin},
      {"categorical", ColumnKind::categorical}, {"real", ColumnKind::real},     {"count", ColumnKind::count}};
  o.option("column", column, "its name in the header, or its number from 1 where there is none; must be given");
  o.choice("kind", kind, kinds, "the units that take it; auto: found from what it holds, and never count");
  o.option(
      "levels", levels,
      "what it may hold, in the order of the units' states, that of 0 or -1 first; empty: found; numbers have none");
}

void ColumnOptions::validate() const {
  if (column.empty()) throw ConfigError("'column' must be given: the name of a column.");
  if (is_number(kind) && !levels.empty())
    throw ConfigError(
        fmt::format("column '{}' is {}, and has levels (numbers have none). Leave one out.", column, name_of(kind)));
  if ((kind == ColumnKind::binary || kind == ColumnKind::spin) && !levels.empty() && levels.size() != 2)
    throw ConfigError(
        fmt::format("column '{}' is {}, and has {} levels (two expected).", column, name_of(kind), levels.size()));
  if (levels.size() == 1)
    throw ConfigError(fmt::format("column '{}' has a single level (two or more expected).", column));
  const std::set<std::string> different(levels.begin(), levels.end());
  if (different.size() != levels.size())
    throw ConfigError(fmt::format("column '{}' has a level twice. Leave one out.", column));
}

}  // namespace v1
}  // namespace harmonium
