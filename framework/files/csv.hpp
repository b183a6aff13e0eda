#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

enum class CsvHeader { automatic, present, absent };
enum class CsvSeparator { automatic, comma, semicolon, tab, space };

struct CsvOptions {
  CsvHeader header = CsvHeader::automatic;  ///< automatic: the first line is one if a field of it is no number
  /// automatic: a tab if the first line has one, else a semicolon, else a comma, else blanks.
  CsvSeparator separator = CsvSeparator::automatic;
  bool missing = false;      ///< whether a field that is empty or "nan" is read as NaN, not refused; classes too
  std::string label_column;  ///< the column of classes, by name, by number from 1, or "last"; empty: none
  /// The columns that are taken, in this order, named in the same way; empty: all but those of `ignore` and of the classes.
  std::vector<std::string> columns = {}, ignore = {};
  std::vector<std::string> classes = {};  ///< the words of class 0, 1, …; empty: found, where they are words

  void bind(OptionBinder& o);
  void validate() const;
  /// Throws ConfigError where classes have words, and no column.
  void check_classes() const;
};

struct CsvContent {
  Table table;                       ///< the columns that are taken; bytes where every number is one
  std::vector<double> labels;        ///< one a row, where there is a column of them; NaN: not seen
  std::vector<std::string> names;    ///< of all columns of the file, where there is a header
  std::vector<std::string> classes;  ///< what the classes are called, where words name them
};

/// Reads a table of numbers in text, plain or gzipped: a line a row, fields with or without quotation marks, lines
/// ending in LF or CR LF, blank lines at the end only. Every row has as many fields as the first and every field that is
/// taken is a finite number, that of the classes a number or a word. Throws FileError where it cannot be read; else DataError with the line and the field, both counted
/// from 1; ConfigError where there is no such column.
CsvContent read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

/// Writes rows of numbers, separated by commas, without a header, in the shortest form that reads back as the same
/// number of that type. The file appears whole or not at all. Throws FileError.
void write_csv(const std::filesystem::path& path, MatrixView<const float> values);
void write_csv(const std::filesystem::path& path, MatrixView<const double> values);

}  // namespace v1
}  // namespace harmonium
