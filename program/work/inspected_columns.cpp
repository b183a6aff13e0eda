#include <harmonium/program/work/inspected_columns.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/data/survey.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Smallest, largest and mean of the numbers that are there.
void take_range(InspectedColumn& column, const std::vector<double>& numbers) {
  double sum = 0.0;
  Index count = 0;
  for (const double v : numbers) {
    if (std::isnan(v)) continue;
    column.min = std::min(column.min.value_or(v), v);
    column.max = std::max(column.max.value_or(v), v);
    sum += v;
    ++count;
  }
  if (count > 0) column.mean = sum / static_cast<double>(count);
}

std::uint64_t rows_of_level(const TextColumn& text, const std::string& level) {
  std::uint64_t rows = 0;
  if (text.are_numbers) {
    const double number = std::stod(level);
    return static_cast<std::uint64_t>(std::ranges::count(text.numbers, number));
  }
  for (Index w = 0; w < text.words.size(); ++w)
    if (text.words[w] == level)
      rows += static_cast<std::uint64_t>(std::ranges::count(text.codes, static_cast<std::uint32_t>(w)));
  return rows;
}

std::string first_of(const std::vector<std::string>& names) {
  const std::span<const std::string> shown = std::span(names).first(std::min<std::size_t>(names.size(), 8));
  return fmt::format("{}{}", fmt::join(shown, ", "), shown.size() < names.size() ? ", …" : "");
}

std::string units_of(const TableColumn& column) {
  switch (column.kind) {
    case ColumnKind::binary: return "binary";
    case ColumnKind::spin: return "spin";
    case ColumnKind::categorical: return fmt::format("categorical, {} states", column.levels.size());
    case ColumnKind::count: return "poisson";
    case ColumnKind::automatic:
    case ColumnKind::real: break;
  }
  return "gaussian";
}

/// The text of a number that is often put where nothing was seen, such as -999, where it stands in two rows or more and is further
/// from all others than these are from each other; empty where there is none.
std::string stand_in_of(const TextColumn& text) {
  if (!text.are_numbers) return "";
  for (const double number : {-9., -99., -999., -9999., 99., 999., 9999.}) {
    if (std::ranges::count(text.numbers, number) < 2) continue;
    std::vector<double> others;
    std::ranges::copy_if(text.numbers, std::back_inserter(others),
                         [&](double v) { return !std::isnan(v) && v != number; });
    if (others.empty()) continue;
    const auto [low, high] = std::ranges::minmax_element(others);
    const double range = *high - *low;
    if (range == 0.0 || std::max(*low - number, number - *high) <= range) continue;
    const auto word = std::ranges::find_if(
        text.words, [&](const std::string& w) { return !w.empty() && std::strtod(w.c_str(), nullptr) == number; });
    return word == text.words.end() ? fmt::format("{:g}", number) : *word;
  }
  return "";
}

InspectedColumn inspected(const TextTable& table, const TextColumn& text, const std::vector<ColumnOptions>& kinds) {
  ColumnGuess guess = guess_column(text);
  const auto told = std::ranges::find(kinds, text.name, &ColumnOptions::column);
  if (told != kinds.end() && (told->kind != ColumnKind::automatic || !told->levels.empty()))
    guess = {told_column(text, *told)};
  else refuse_decimal_commas(table, text);
  InspectedColumn column{.name = text.name, .kind = name_of(guess.column.kind), .missing = text.missing};
  column.trouble = guess.trouble;
  if (text.are_numbers) take_range(column, text.numbers);
  for (const std::string& level : guess.column.levels) column.levels.emplace_back(level, rows_of_level(text, level));
  if (!guess.trouble.empty()) column.kind = text.are_numbers ? "whole" : "text";
  else column.units = units_of(guess.column);
  column.constant = text.few_words && text.words.size() == 1;
  return column;
}

}  // namespace

std::vector<InspectedColumn> inspected_columns(const TextTable& table, const std::vector<ColumnOptions>& kinds) {
  std::vector<InspectedColumn> columns;
  for (const TextColumn& text : table.columns) columns.push_back(inspected(table, text, kinds));
  return columns;
}

std::vector<InspectedColumn> inspected_columns(const Dataset& data, const std::vector<std::string>& names,
                                               const std::string& units) {
  const DataSurvey seen = survey(data, 0, 1);
  const std::vector<double> means = data.column_means();
  std::vector<std::uint64_t> missing(data.cols(), 0);
  std::vector<std::uint8_t> row(data.cols());
  for (Index r = 0; data.has_missing() && r < data.rows(); ++r) {
    data.seen({&r, 1}, {row.data(), 1, row.size(), row.size()});
    for (Index c = 0; c < row.size(); ++c) missing[c] += row[c] == 0 ? 1 : 0;
  }
  std::vector<InspectedColumn> columns;
  for (Index c = 0; c < data.cols(); ++c) {
    const ColumnSurvey& one = seen.columns[c];
    InspectedColumn column{.name = c < names.size() ? names[c] : fmt::format("{}", c + 1), .units = units};
    column.missing = missing[c];
    column.constant = one.constant();
    column.min = one.min;
    column.max = one.max;
    column.mean = means[c];
    const bool levels = !one.counts.empty() && one.counts.size() <= 10;
    for (Index k = 0; levels && k < one.counts.size(); ++k)
      if (one.counts[k] > 0) column.levels.emplace_back(fmt::format("{}", k), one.counts[k]);
    const Index others = data.rows() - missing[c] - one.at_min - one.at_max;
    column.kind = one.min >= 0 && one.max <= 1 && one.whole                   ? "binary"
                  : one.min == -1 && one.max == 1 && one.whole && others == 0 ? "spin"
                  : one.whole                                                 ? "whole"
                                                                              : "real";
    columns.push_back(std::move(column));
  }
  return columns;
}

InspectedColumn inspected_classes(const std::vector<double>& classes, const std::vector<std::string>& words,
                                  const std::string& name) {
  std::map<Index, std::uint64_t> rows;
  InspectedColumn column{.name = name, .kind = "classes"};
  for (const double v : classes) {
    if (std::isnan(v)) ++column.missing;
    else ++rows[static_cast<Index>(v)];
  }
  for (const auto& [number, count] : rows)
    column.levels.emplace_back(number < words.size() ? words[number] : fmt::format("{}", number), count);
  column.constant = rows.size() == 1;
  const Index most = rows.empty() ? 0 : rows.rbegin()->first + 1;
  column.units = fmt::format("categorical, {} states", std::max<Index>(words.size(), most));
  return column;
}

bool lacks_numbers(const std::vector<InspectedColumn>& columns) {
  return std::ranges::any_of(columns, [](const InspectedColumn& column) {
    return column.trouble.empty() && column.missing > 0 && (column.units == "gaussian" || column.units == "poisson");
  });
}

std::vector<std::string> column_warnings(const std::vector<InspectedColumn>& columns, const char* remedy) {
  std::vector<std::string> warnings;
  std::vector<std::string> constant;
  for (const InspectedColumn& column : columns) {
    if (!column.trouble.empty())
      warnings.push_back(fmt::format("column '{}' {}: it is left out below.", column.name, column.trouble));
    else if (column.constant) constant.push_back(column.name);
  }
  if (constant.empty()) return warnings;
  warnings.push_back(fmt::format("{} of {} columns {} the same in every row, and tell{} nothing: {}.{}",
                                 constant.size(), columns.size(), constant.size() == 1 ? "is" : "are",
                                 constant.size() == 1 ? "s" : "", first_of(constant), remedy));
  return warnings;
}

std::vector<std::string> stand_in_warnings(const TextTable& table) {
  std::map<std::string, std::vector<std::string>> columns;  // those that hold a stand-in, by its text
  for (const TextColumn& text : table.columns)
    if (const std::string word = stand_in_of(text); !word.empty()) columns[word].push_back(text.name);
  std::vector<std::string> warnings;
  warnings.reserve(columns.size());
  for (const auto& [word, names] : columns)
    warnings.push_back(fmt::format(
        "{} stands in several rows of {}: {}, far from all other values. If it stands for what was not seen, add --set "
        "data.missing=nan --set 'data.missing_words=[\"{}\"]', the list of all words that do.",
        word, names.size() == 1 ? "a column" : fmt::format("{} columns", names.size()), first_of(names), word));
  return warnings;
}

std::vector<std::string> site_warnings(const std::vector<InspectedColumn>& columns, Index letters) {
  std::vector<std::string> constant;
  const Index sites = columns.size() / letters;
  for (Index site = 0; site < sites; ++site)
    if (std::ranges::all_of(std::span(columns).subspan(site * letters, letters), &InspectedColumn::constant))
      constant.push_back(fmt::format("{}", site));
  if (constant.empty()) return {};
  return {fmt::format("{} of {} sites {} one letter in all sequences, and tell{} nothing (counted from 0): {}.",
                      constant.size(), sites, constant.size() == 1 ? "has" : "have", constant.size() == 1 ? "s" : "",
                      first_of(constant))};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
