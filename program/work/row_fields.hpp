#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/data/table_schema.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A field of a row as the file of the data has it, and the numbers of a row of all observed columns that it is made of.
struct RowField {
  Index place = 0, width = 1;
  ColumnKind kind = ColumnKind::real;

  /// Whether the likeliest of some words, levels or classes is written, and no number.
  bool of_words() const { return !is_number(kind); }
};

/// How far what is missing may lie from what is written, one a field: of a number its standard deviation, which `deviations` has; of words
/// the probability that it is another than the likeliest. `means` are those of the row, probabilities of words.
std::vector<double> spread_of_fields(std::span<const RowField> fields, std::span<const double> means,
                                     std::span<const double> deviations);
/// One standard error of each field: of a number that of its mean; of words that of the probability of the likeliest.
std::vector<double> errors_of_fields(std::span<const RowField> fields, std::span<const double> means,
                                     std::span<const double> errors);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
