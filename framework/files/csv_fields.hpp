#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/line_reader.hpp>

/// What the readers of CSV share.
namespace harmonium {
inline namespace v1 {

/// Without blanks and tabs at its ends.
std::string_view without_blanks(std::string_view text);

enum class NumberFault { none, empty, no_number, out_of_range, not_finite };
/// The number that a text without blanks is, with a decimal point; 0 where it is none that a double holds, and NaN or infinity
/// where it says so.
std::pair<double, NumberFault> csv_number(std::string_view text);

/// Whether a text without blanks is a number but for a comma in place of its decimal point.
bool has_decimal_comma(std::string_view text);
/// What is wrong with such a text in a file of this separator, and what to do, in sentences that follow its place. It is not read
/// as a number: in some files "1,234" is 1234.
std::string decimal_comma_text(std::string_view text, char separator);

/// A field without its quotation marks, and all that follows it but the separator.
struct CsvField {
  std::string text;
  std::optional<std::string_view> rest;  ///< none: it was the last
};
/// The field at the beginning of `rest`; nothing where a quotation mark has no partner.
std::optional<CsvField> cut_csv_field(std::string_view rest, char separator);

/// The separator of a file that begins with this line.
char csv_separator(CsvSeparator asked, std::string_view first_line);
/// What is wrong with a line of `fields` fields where the first has `first`, cut at the separator that was asked for or found.
std::string other_fields_text(Index fields, Index first, CsvSeparator asked, char separator);
/// The fields of the line that `lines` gave last. Throws DataError where a quotation mark has no partner.
std::vector<std::string> csv_fields(const LineReader& lines, std::string_view line, char separator);

/// Which of a file's fields are taken.
struct CsvChoice {
  static constexpr Index left_out = ~Index{0};
  std::vector<Index> column;  ///< of each field: the column that it becomes
  Index columns = 0;          ///< how many there are
  Index label = left_out;     ///< the field of the classes
};
/// By the `columns`, `ignore` and `label_column` of the options. `names` is empty where the file has no header. Throws
/// ConfigError where one of them is not there, DataError where no column is left.
CsvChoice choose_csv_columns(const CsvOptions& options, const std::string& file, Index fields,
                             const std::vector<std::string>& names);
/// The field that `wanted` means: a name, else "last" or a number from 1; nothing where there is no such.
std::optional<Index> find_csv_column(const std::string& wanted, Index fields, const std::vector<std::string>& names);

}  // namespace v1
}  // namespace harmonium
