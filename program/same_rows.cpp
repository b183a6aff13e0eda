#include <harmonium/program/same_rows.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_fields.hpp>
#include <harmonium/program/paired/same_columns.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index rows_compared = 2000;  // at once: what is in memory does not grow with the data

/// Of the largest number of a row: what is standardized and led back is off by rounding.
constexpr double rounding_of_rows = 1e-6;

[[noreturn]] void refuse_rows(const std::string& option, const RowsOfModel& one, const RowsOfModel& other,
                              const std::string& how) {
  const char* drawn = one.judged.drawn || other.judged.drawn
                          ? " Bits that are drawn of gray values are the same under one --seed of this command."
                          : "";
  throw DataError(
      fmt::format("{}: the {} are others for {} than for {}: {}. A paired difference is of the same rows: name them by "
                  "--data FILE, or take runs that deal them alike (data_seed).{}",
                  option, one.judged.words, other.model, one.model, how, drawn));
}

double largest_of(std::span<const double> row) {
  double largest = 0.0;
  for (const double v : row)
    if (!std::isnan(v)) largest = std::max(largest, std::abs(v));
  return largest;
}

std::string entry_words(double v) { return std::isnan(v) ? "missing" : fmt::format("{:.9g}", v); }

std::string class_words_of(const RowsOfModel& rows, double of_class) {
  if (std::isnan(of_class)) return "none";
  const auto k = static_cast<Index>(of_class);
  const std::vector<std::string>& words = rows.judged.table.predicted_word;
  return k < words.size() ? fmt::format("'{}'", words[k]) : fmt::format("{}", k);
}

/// A column by its name, and by its place where it has none.
std::string column_words(const SameColumn& column) {
  return column.name.empty() ? fmt::format("{}", column.one.first) : fmt::format("'{}'", column.name);
}

/// Whether both are numbers, and the same but for rounding.
bool are_near(const std::string& one, const std::string& other, double tolerance) {
  const auto a = csv_number(one), b = csv_number(other);
  return a.second == NumberFault::none && b.second == NumberFault::none && std::abs(a.first - b.first) <= tolerance;
}

/// "column 'age', is 3 and 4": how two rows differ in a column; empty where they do not.
std::string difference_in(const SameColumn& column, const RowsOfModel& one, const RowsOfModel& other,
                          std::span<const double> a, std::span<const double> b, double tolerance) {
  std::string own, others;
  if (column.one.width > 1 || column.other.width > 1) {
    own = text_in(one, column.one, a), others = text_in(other, column.other, b);
    if (own == others || are_near(own, others, tolerance)) return "";
    for (std::string* text : {&own, &others})
      if (text->empty()) *text = "missing";
  } else {
    const double x = a[column.one.first], y = b[column.other.first];
    if (std::isnan(x) || std::isnan(y) ? std::isnan(x) && std::isnan(y) : std::abs(x - y) <= tolerance) return "";
    own = entry_words(x), others = entry_words(y);
  }
  return fmt::format("column {}, is {} and {}", column_words(column), others, own);
}

/// Whether row r is the same row of both their files.
bool same_place(const RowsOfModel& one, const RowsOfModel& other, Index r) {
  return one.judged.table.row[r] == other.judged.table.row[r];
}

/// "row 8 of the file (counted from 0)", or both where the two have other rows of their files in that place.
std::string place_of(const RowsOfModel& one, const RowsOfModel& other, Index r) {
  const Index own = one.judged.table.row[r], others = other.judged.table.row[r];
  if (same_place(one, other, r)) return fmt::format("row {} of the file (counted from 0)", own);
  return fmt::format("in place {} it is row {} of the file for {} and row {} for {} (counted from 0), which", r, others,
                     other.model, own, one.model);
}

/// How row r differs, `a` and `b` being its numbers and its class; empty where it does not.
std::string difference_of(const RowsOfModel& one, const RowsOfModel& other, Index r, std::span<const double> a,
                          std::span<const double> b, const std::vector<SameColumn>& columns) {
  const Index width = one.judged.columns, other_width = other.judged.columns;
  const double tolerance = rounding_of_rows * std::max(largest_of(a.first(width)), largest_of(b.first(other_width)));
  const std::string place = place_of(one, other, r);
  for (const SameColumn& column : columns)
    if (const std::string how = difference_in(column, one, other, a, b, tolerance); !how.empty())
      return fmt::format("{}{} {}", place, same_place(one, other, r) ? "," : " differ:", how);
  const std::string own = class_words_of(one, a[width]), others = class_words_of(other, b[other_width]);
  if (own == others) return "";
  const char* const alone =
      own == "none" || others == "none"
          ? ". Rows without classes, by --data FILE, have log p(x) of both, summed over the classes"
          : "";
  return fmt::format("{} is shown with the class {} and {}{}", place, others, own, alone);
}

}  // namespace

void check_same_rows(const RowsOfModel& one, const RowsOfModel& other, const std::string& option) {
  const Index n = one.judged.rows();
  if (n != other.judged.rows())
    refuse_rows(option, one, other, fmt::format("they are {} and {}", other.judged.rows(), n));
  const std::vector<SameColumn> columns = same_columns(one, other, option);
  for (Index first = 0; first < n; first += rows_compared) {
    const Index count = std::min(rows_compared, n - first);
    const std::vector<double> a = one.judged.values(first, count), b = other.judged.values(first, count);
    for (Index r = 0; r < count; ++r) {
      const auto row = [&](const std::vector<double>& all, Index width) {
        return std::span(all).subspan(r * (width + 1), width + 1);
      };
      if (const std::string how =
              difference_of(one, other, first + r, row(a, one.judged.columns), row(b, other.judged.columns), columns);
          !how.empty())
        refuse_rows(option, one, other, how);
    }
  }
}

}  // namespace v1
}  // namespace harmonium
