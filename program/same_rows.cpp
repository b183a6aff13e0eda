#include <harmonium/program/same_rows.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
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
std::string column_words(const RowsOfModel& one, Index c) {
  const std::vector<std::string>& names = one.judged.column_names;
  return c < names.size() && !names[c].empty() ? fmt::format("'{}'", names[c]) : fmt::format("{}", c);
}

/// How row r differs, `a` and `b` being its numbers and its class, which the other model has at `places`; empty where it does not.
std::string difference_of(const RowsOfModel& one, const RowsOfModel& other, Index r, std::span<const double> a,
                          std::span<const double> b, std::span<const Index> places) {
  const Index columns = one.judged.columns;
  const double tolerance = rounding_of_rows * std::max(largest_of(a.first(columns)), largest_of(b.first(columns)));
  const auto place = [&] { return fmt::format("row {} of the file", one.judged.table.row[r]); };
  for (Index c = 0; c < columns; ++c) {
    const double own = a[c], others = b[places[c]];
    const bool same = std::isnan(own) || std::isnan(others) ? std::isnan(own) && std::isnan(others)
                                                            : std::abs(own - others) <= tolerance;
    if (!same)
      return fmt::format("{} (counted from 0), column {}, is {} and {}", place(), column_words(one, c),
                         entry_words(others), entry_words(own));
  }
  const std::string own = class_words_of(one, a[columns]), others = class_words_of(other, b[columns]);
  if (own == others) return "";
  const char* const alone =
      own == "none" || others == "none"
          ? ". Rows without classes, by --data FILE, have log p(x) of both, summed over the classes"
          : "";
  return fmt::format("{} (counted from 0) is shown with the class {} and {}{}", place(), others, own, alone);
}

}  // namespace

void check_same_rows(const RowsOfModel& one, const RowsOfModel& other, const std::string& option) {
  const Index n = one.judged.rows(), columns = one.judged.columns;
  if (n != other.judged.rows())
    refuse_rows(option, one, other, fmt::format("they are {} and {}", other.judged.rows(), n));
  const std::vector<Index> places = places_of_columns(one, other, option);
  for (Index first = 0; first < n; first += rows_compared) {
    const Index count = std::min(rows_compared, n - first);
    const std::vector<double> a = one.judged.values(first, count), b = other.judged.values(first, count);
    for (Index r = 0; r < count; ++r) {
      const auto row = [&](const std::vector<double>& all) {
        return std::span(all).subspan(r * (columns + 1), columns + 1);
      };
      if (const std::string how = difference_of(one, other, first + r, row(a), row(b), places); !how.empty())
        refuse_rows(option, one, other, how);
    }
  }
}

}  // namespace v1
}  // namespace harmonium
