#include <harmonium/framework/data/named_vector.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/parsed_number.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/files/csv_classes.hpp>
#include <harmonium/framework/files/csv_fields.hpp>
#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/framework/files/npy_words.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/files/text_table.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// The last colon behind the name of a file; nothing where there is none.
std::optional<std::size_t> colon_behind_file(const std::string& text) {
  for (std::size_t at = text.rfind(':'); at != std::string::npos && at > 0; at = text.rfind(':', at - 1))
    if (is_file(text.substr(0, at))) return at;
  return {};
}

RowClasses taken(CsvClasses& classes) {
  RowClasses found{classes.take(), {}};
  found.words = classes.words();
  return found;
}

/// Whether the first line of a text is surely the class of a row, and no header: a word that is known, or there are as many lines as
/// `rows` and it is not a word above numbers. Else a word that no other line has is taken for a header.
bool begins_with_class(const std::string& path, const std::vector<std::string>& known, std::optional<Index> rows) {
  LineReader lines(path);
  Index count = 0;
  bool first_is_number = false, others_are_numbers = true;
  while (const auto line = lines.next()) {
    if (count == 0 && std::ranges::find(known, *line) != known.end()) return true;
    const auto word = without_blanks(*line);
    if (word.empty()) continue;
    const bool is_number = parsed_number<double>(word).has_value();
    if (count++ == 0) first_is_number = is_number;
    else others_are_numbers = others_are_numbers && is_number;
  }
  return rows && count == *rows && (first_is_number || !others_are_numbers || count == 1);
}

/// A text of one word a line, or of a header above them.
RowClasses classes_of_text(const std::string& path, const std::vector<std::string>& known, std::optional<Index> rows) {
  CsvOptions format;
  format.separator = CsvSeparator::comma;  // words may have blanks
  if (begins_with_class(path, known, rows)) format.header = CsvHeader::absent;
  const TextTable table = read_text_table(path, format, {});
  if (table.columns.size() != 1)
    throw DataError(
        fmt::format("{}: has {} columns (one class a row expected). A column among others is named by "
                    "data.label_column.",
                    path, table.columns.size()));
  const TextColumn& column = table.columns[0];
  if (!column.few_words)
    throw DataError(fmt::format("{}: has more than {} different words (the classes of rows expected).", path,
                                TextColumn::most_words));
  if (table.header && rows && table.rows != *rows)
    throw DataError(fmt::format(
        "{}: holds {} labels below '{:.40}', which was taken for a header (one for each of the {} rows expected).",
        path, table.rows, column.name, *rows));
  CsvClasses classes(known);
  for (Index r = 0; r < table.rows; ++r) {
    const std::uint32_t code = column.codes[r];
    const std::string problem = classes.add(code == TextColumn::nothing ? "" : column.words[code]);
    if (!problem.empty()) throw DataError(fmt::format("{}:{}: the class {}", path, table.line(r), problem));
  }
  return taken(classes);
}

RowClasses classes_of_words(const std::string& path, const std::vector<std::string>& words,
                            const std::vector<std::string>& known) {
  CsvClasses classes(known);
  for (Index r = 0; r < words.size(); ++r)
    if (const std::string problem = classes.add(words[r]); !problem.empty())
      throw DataError(fmt::format("{}: row {} (counted from 0): the class {}", path, r, problem));
  return taken(classes);
}

/// Numbers of classes of which all have words.
void check_known(const RowClasses& found, const std::string& path) {
  const auto beyond = std::ranges::find_if(
      found.numbers, [&](double number) { return number >= static_cast<double>(found.words.size()); });
  if (found.words.empty() || beyond == found.numbers.end()) return;
  throw DataError(
      fmt::format("{}: row {} (counted from 0) is {}, and there are words for {} classes, counted from 0. "
                  "Mend it, or add its word to data.classes.",
                  path, beyond - found.numbers.begin(), *beyond, found.words.size()));
}

bool is_plain_text(const std::string& path) { return path.ends_with(".txt") || path.ends_with(".txt.gz"); }

}  // namespace

NamedVector named_vector(const std::string& key, const std::string& text) {
  const auto colon = is_file(text) ? std::nullopt : colon_behind_file(text);
  NamedVector named{colon ? text.substr(0, *colon) : text};
  check_data_file(key, named.file);
  const std::optional<TableFormat> format = known_table_format(named.file);
  const bool of_arrays = format == TableFormat::npy, of_datasets = format == TableFormat::hdf5;
  if (colon) {
    const std::string setting = text.substr(*colon + 1);
    const std::string option = of_arrays ? "array=" : "samples=";
    if (!(of_arrays || of_datasets) || !setting.starts_with(option) || setting.size() == option.size())
      throw ConfigError(fmt::format(
          "[data] {} '{}': '{}' behind the file's name is not understood. {}", key, text, setting,
          of_arrays || of_datasets ? fmt::format("Write {}:{}NAME.", named.file, option)
                                   : "Only a file of several arrays (.npz, HDF5) takes the name of one there."));
    (of_arrays ? named.array : named.dataset) = setting.substr(option.size());
  }
  if (of_arrays)
    need_npz_array(named.file, named.array, fmt::format("[data] {} '{}': ", key, text),
                   fmt::format("Name it as in {} = \"{}:array={{}}\".", key,
                               std::filesystem::path(named.file).filename().string()));
  return named;
}

std::vector<double> read_vector(const NamedVector& named, const char* what, const std::string& dataset) {
  return read_vector(named.file, what, named.dataset.empty() ? dataset : named.dataset, named.array);
}

RowClasses read_classes(const NamedVector& named, const std::vector<std::string>& known, std::optional<Index> rows) {
  const std::optional<TableFormat> format = known_table_format(named.file);
  if (format == TableFormat::npy)
    if (const auto words = read_npy_words(named.file, named.array)) return classes_of_words(named.file, *words, known);
  if (!format && is_plain_text(named.file)) return classes_of_text(named.file, known, rows);
  try {
    RowClasses found{read_vector(named, "class", "labels"), known};
    check_known(found, named.file);
    return found;
  } catch (const DataError& error) {
    if (format != TableFormat::csv || !std::string_view(error.what()).ends_with(" is no number")) throw;
  }
  return classes_of_text(named.file, known, rows);
}

}  // namespace v1
}  // namespace harmonium
