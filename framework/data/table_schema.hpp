#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/files/text_table.hpp>

namespace harmonium {
inline namespace v1 {

/// What a column of a table is: one of two levels (bits or spins), of several, a number, or a count.
enum class ColumnKind : std::uint8_t { automatic, binary, spin, categorical, real, count };
/// "binary", "spin", "categorical", "real", "count".
std::string name_of(ColumnKind kind);
inline bool is_number(ColumnKind kind) { return kind == ColumnKind::real || kind == ColumnKind::count; }

/// What a configuration says of a column.
struct ColumnOptions {
  std::string column;
  ColumnKind kind = ColumnKind::automatic;
  std::vector<std::string> levels = {};

  void bind(OptionBinder& o);
  void validate() const;
};

/// What is made of a column.
struct TableColumn {
  std::string name;
  ColumnKind kind = ColumnKind::real;
  std::vector<std::string> levels = {};  ///< of a number none; of bits and spins that of the lower value first
  Index place = 0;                       ///< its first column of numbers
  Index width() const { return kind == ColumnKind::categorical ? levels.size() : 1; }
};

/// Units of one kind beside each other.
struct TableLayer {
  std::string name;
  ColumnKind kind = ColumnKind::real;
  Index size = 0, states = 0;
};

/// How rows of text become rows of numbers, and these text again: columns of one kind side by side, bits first, then spins,
/// numbers, counts, and the categorical ones by their number of states, a column a state.
class TableSchema {
 public:
  TableSchema() = default;
  /// `columns` in the order of the file, their places yet to be found.
  explicit TableSchema(std::vector<TableColumn> columns);

  const std::vector<TableColumn>& columns() const { return columns_; }
  const std::vector<TableLayer>& layers() const { return layers_; }
  /// Columns of numbers.
  Index width() const { return width_; }
  /// Of these: "age", "sex=male", "island=Dream".
  std::vector<std::string> number_names() const;
  /// Which of them are numbers of Gaussian units, which are standardized.
  std::vector<bool> real() const;

  /// The rows of a table that has these columns. What is missing is NaN. Throws DataError, with its line, for a text that is no
  /// number, or none of its column's levels.
  Table encode(const TextTable& table) const;
  /// The text of each column: `row` holds `width()` numbers.
  template <std::floating_point T>
  std::vector<std::string> decode(std::span<const T> row) const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<TableLayer> layers_;
  Index width_ = 0;
};

/// What a column is taken for: its kind and levels, or why it is no column of units.
struct ColumnGuess {
  TableColumn column;
  std::string trouble = {};  ///< empty: none
};
/// Two levels are bits, or spins where they are -1 and 1; up to 100 words, and from 3 to 10 whole numbers that come five times
/// each on average, are levels; else numbers are numbers.
ColumnGuess guess_column(const TextColumn& column);
/// The same where the configuration says something of it. Throws ConfigError where that cannot be.
TableColumn told_column(const TextColumn& column, const ColumnOptions& told);

}  // namespace v1
}  // namespace harmonium
