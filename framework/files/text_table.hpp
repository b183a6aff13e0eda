#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/csv.hpp>

namespace harmonium {
inline namespace v1 {

/// A column of text: what is needed to decide what it is, and to make numbers of it once that is decided.
struct TextColumn {
  static constexpr Index most_words = 256;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  std::string name;  ///< that of the header, else its number from 1
  /// The different texts in it, in the order in which they come, and that of each row (`nothing` where none stands). Both are
  /// empty where there are more than most_words.
  std::vector<std::string> words = {};
  std::vector<std::uint32_t> codes = {};
  /// The number of each row, NaN where none stands; empty where some text is no finite number.
  std::vector<double> numbers = {};
  bool are_numbers = true, few_words = true;  ///< whether those are there
  Index missing = 0;                          ///< rows in which nothing stands
  std::string first_word = {};                ///< the first text that is no number, and its line, from 1
  std::uint64_t line_of_word = 0;
};

/// A table of text, column by column.
struct TextTable {
  std::string name;  ///< of the file
  Index rows = 0;
  bool header = false;
  std::vector<TextColumn> columns;
  std::vector<double> labels;        ///< of the column of classes, where there is one; NaN: not seen
  std::vector<std::string> classes;  ///< what these are called, where words name them
  std::string label_name;            ///< as `TextColumn::name`
  /// The line of the file, from 1, that row `row` stands in.
  std::uint64_t line(Index row) const { return row + 1 + (header ? 1 : 0); }
  char separator = ',';  ///< what stands between its fields
};

/// Throws DataError where the words of a column of the table are numbers with decimal commas.
void refuse_decimal_commas(const TextTable& table, const TextColumn& column);

/// Reads the columns of a CSV file that the options take, as `read_csv` does but for what fields hold: anything. What is among
/// `missing` stands for nothing, as an empty field does; of classes where `options.missing` says that they may be missing. Without a word on the header the first line is one where none of its
/// fields is a number, or a field is none above a number; but not where each of them occurs again in its column. Throws as
/// read_csv does.
TextTable read_text_table(const std::filesystem::path& path, const CsvOptions& options,
                          const std::vector<std::string>& missing);

}  // namespace v1
}  // namespace harmonium
