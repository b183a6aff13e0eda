#include <harmonium/framework/files/unit_values.hpp>

#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// A row of many numbers is as good as a number a row: numpy keeps a vector as either.
std::vector<double> read_row_or_column(const std::filesystem::path& path, const char* what,
                                       const std::string& dataset) {
  const Table table = read_table(path, dataset);
  if (table.rows != 1 && table.cols != 1)
    throw DataError(fmt::format("{}: has {} rows of {} columns (one {} a row, or all in one row, expected)",
                                path.string(), table.rows, table.cols, what));
  std::vector<double> values;
  for (Index r = 0; r < table.rows; ++r)
    for (Index c = 0; c < table.cols; ++c) values.push_back(table.at(r, c));
  return values;
}

}  // namespace

std::optional<NumberedUnit> numbered_unit(std::string_view word) {
  const std::size_t open = word.rfind('[');
  if (open == std::string_view::npos || !word.ends_with(']')) return std::nullopt;
  const auto unit = parsed_number<Index>(word.substr(open + 1, word.size() - open - 2));
  if (!unit) return std::nullopt;
  return NumberedUnit{word.substr(0, open), *unit};
}

std::vector<double> read_unit_values(const std::filesystem::path& path, const char* what, const std::string& dataset) {
  if (path.extension() != ".csv") return read_row_or_column(path, what, dataset);
  LineReader lines(path);
  if (lines.next() != "unit,value") return read_row_or_column(path, what, dataset);
  std::vector<double> values;
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::size_t comma = line->rfind(',');
    const auto unit = comma == std::string_view::npos ? std::nullopt : numbered_unit(line->substr(0, comma));
    const auto value = unit ? parsed_number<double>(line->substr(comma + 1)) : std::nullopt;
    if (!value || unit->number != values.size())
      throw DataError(fmt::format("{}:{}: '{}': unit {} and its {} were expected, as in 'visible[{}],0.5'.",
                                  lines.name(), lines.number(), *line, values.size(), what, values.size()));
    values.push_back(*value);
  }
  return values;
}

std::vector<double> read_state_values(const std::filesystem::path& path, Index states, const char* what,
                                      const std::string& dataset) {
  if (states == 1) return read_unit_values(path, what, dataset);
  const Table table = read_table(path, dataset);
  if (table.cols != 1 && table.cols != states)
    throw DataError(
        fmt::format("{}: has {} columns (a row of {} {}s a unit, one for each of its states, or one {} a row expected)",
                    path.string(), table.cols, states, what, what));
  std::vector<double> values;
  for (Index r = 0; r < table.rows; ++r)
    for (Index c = 0; c < table.cols; ++c) values.push_back(table.at(r, c));
  return values;
}

}  // namespace v1
}  // namespace harmonium
