#include <harmonium/framework/files/text_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_classes.hpp>
#include <harmonium/framework/files/csv_fields.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Fields = std::vector<std::string>;

bool is_number(const std::string& text) { return csv_number(text).second == NumberFault::none; }
/// One that is refused is no word of a header all the same.
bool is_meant_as_number(const std::string& text) { return is_number(text) || has_decimal_comma(text); }

/// Puts the fields of a column together, row by row.
class ColumnFiller {
 public:
  explicit ColumnFiller(std::string name) { column_.name = std::move(name); }

  void add(const std::string& text, bool missing, std::uint64_t line) {
    column_.missing += missing ? 1 : 0;
    if (column_.are_numbers) add_number(text, missing, line);
    if (column_.few_words) add_word(text, missing);
  }
  const TextColumn& column() const { return column_; }
  TextColumn take() { return std::move(column_); }

 private:
  void add_number(const std::string& text, bool missing, std::uint64_t line) {
    const auto [number, fault] =
        missing ? std::pair(std::numeric_limits<double>::quiet_NaN(), NumberFault::none) : csv_number(text);
    column_.numbers.push_back(number);
    if (fault == NumberFault::none) return;
    column_.are_numbers = false;
    column_.numbers = {};
    column_.first_word = text;
    column_.line_of_word = line;
  }
  void add_word(const std::string& text, bool missing) {
    if (missing) {
      column_.codes.push_back(TextColumn::nothing);
      return;
    }
    const auto [at, is_new] = codes_.emplace(text, static_cast<std::uint32_t>(column_.words.size()));
    if (is_new) column_.words.push_back(text);
    column_.codes.push_back(at->second);
    if (column_.words.size() <= TextColumn::most_words) return;
    column_.few_words = false;
    column_.words = {};
    column_.codes = {};
    codes_ = {};
  }

  TextColumn column_;
  std::unordered_map<std::string, std::uint32_t> codes_;
};

class TextTableReader {
 public:
  TextTableReader(const std::filesystem::path& path, const CsvOptions& options, const std::vector<std::string>& missing)
      : lines_(path),
        options_(options),
        missing_(missing),
        classes_(options.classes, options.missing ? AbsentClass::unseen : AbsentClass::refuse) {}

  TextTable read() {
    const std::optional<Fields> first = next();
    if (!first) throw DataError(fmt::format("{}: has no rows (the file is empty)", lines_.name()));
    const std::optional<Fields> second = next();
    const bool header = is_header(*first, second);
    begin(*first, header);
    if (!header) add(*first, 1);
    if (second) add(*second, 2);
    while (const auto row = next()) add(*row, lines_.number());
    // A first line of words above words: a header, unless all of them are words of their columns.
    if (unsure_ && !header) {
      const bool new_word = std::ranges::any_of(fillers_, [](const ColumnFiller& filler) {
        const TextColumn& column = filler.column();
        return !column.few_words || std::ranges::count(column.codes, column.codes[0]) == 1;
      });
      if (new_word) return again_with_header();
    }
    if (table_.rows == 0) throw DataError(fmt::format("{}: has no rows (a header alone)", lines_.name()));
    for (ColumnFiller& filler : fillers_) table_.columns.push_back(filler.take());
    table_.labels = classes_.take();
    table_.classes = classes_.words();
    table_.name = lines_.name();
    table_.separator = separator_;
    check_labels();
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(std::uint64_t line, std::string_view problem) const {
    throw DataError(fmt::format("{}:{}: {}", lines_.name(), line, problem));
  }

  /// The fields of the next line; nothing at the end.
  std::optional<Fields> next() {
    std::uint64_t blank = 0;
    while (const auto line = lines_.next()) {
      if (without_blanks(*line).empty()) {
        if (lines_.number() == 1) fail(1, "is empty (a row or a header expected)");
        blank = blank == 0 ? lines_.number() : blank;
        continue;
      }
      if (blank != 0) fail(blank, "is empty, and more rows follow. Remove it.");
      if (lines_.number() == 1) separator_ = csv_separator(options_.separator, *line);
      Fields fields = csv_fields(lines_, *line, separator_);
      if (lines_.number() == 1) num_fields_ = fields.size();
      if (fields.size() != num_fields_)
        fail(lines_.number(), other_fields_text(fields.size(), num_fields_, options_.separator, separator_));
      return fields;
    }
    return {};
  }

  bool is_header(const Fields& first, const std::optional<Fields>& second) {
    if (options_.header != CsvHeader::automatic) return options_.header == CsvHeader::present;
    for (Index f = 0; second && f < first.size(); ++f)
      if (!is_meant_as_number(first[f]) && !is_missing(first[f]) && is_meant_as_number((*second)[f])) return true;
    unsure_ = std::ranges::none_of(first, is_meant_as_number);
    return unsure_ && (!second || is_called(first));
  }
  /// Whether the options call a column by one of these names.
  bool is_called(const Fields& names) const {
    Fields called = options_.columns;
    called.insert(called.end(), options_.ignore.begin(), options_.ignore.end());
    called.push_back(options_.label_column);
    return std::ranges::any_of(called,
                               [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
  }

  void begin(const Fields& first, bool header) {
    table_.header = header;
    const Fields names = header ? first : Fields{};
    choice_ = choose_csv_columns(options_, lines_.name(), num_fields_, names);
    field_of_.assign(choice_.columns, 0);
    const auto name = [&](Index field) { return header ? names[field] : fmt::format("{}", field + 1); };
    for (Index f = 0; f < num_fields_; ++f)
      if (choice_.column[f] != CsvChoice::left_out) field_of_[choice_.column[f]] = f;
    for (const Index f : field_of_) fillers_.emplace_back(name(f));
    if (choice_.label != CsvChoice::left_out) table_.label_name = name(choice_.label);
    for (const Index f : field_of_)
      if (header && std::ranges::count(names, names[f]) > 1)
        throw DataError(fmt::format("{}:1: two columns are called '{}'. Rename one.", lines_.name(), names[f]));
  }

  void add(const Fields& fields, std::uint64_t line) {
    for (Index c = 0; c < fillers_.size(); ++c) {
      const std::string& text = fields[field_of_[c]];
      fillers_[c].add(text, is_missing(text), line);
    }
    if (choice_.label != CsvChoice::left_out) {
      const std::string& text = fields[choice_.label];
      const std::string problem = classes_.add(options_.missing && is_missing(text) ? "" : text);
      if (!problem.empty())
        fail(line, fmt::format("field {} ('{}') {}", choice_.label + 1, table_.label_name, problem));
    }
    ++table_.rows;
  }

  void check_labels() const {
    constexpr double most = 65535;
    const auto wrong = std::ranges::find_if_not(
        table_.labels, [](double v) { return std::isnan(v) || (v >= 0 && v <= most && v == std::floor(v)); });
    if (wrong == table_.labels.end()) return;
    fail(table_.line(static_cast<Index>(wrong - table_.labels.begin())),
         fmt::format("'{}' is {} (a class, a word or an integer from 0 to {}, expected)", table_.label_name, *wrong,
                     most));
  }

  bool is_missing(const std::string& text) const {
    return text.empty() || std::ranges::find(missing_, text) != missing_.end();
  }

  TextTable again_with_header() const {
    CsvOptions known = options_;
    known.header = CsvHeader::present;
    return read_text_table(lines_.name(), known, missing_);
  }

  LineReader lines_;
  const CsvOptions& options_;
  const std::vector<std::string>& missing_;
  CsvClasses classes_;
  CsvChoice choice_;
  char separator_ = ',';
  Index num_fields_ = 0;
  bool unsure_ = false;  // whether the first line may be a header, for all that was seen
  std::vector<Index> field_of_;
  std::vector<ColumnFiller> fillers_;
  TextTable table_;
};

}  // namespace

void refuse_decimal_commas(const TextTable& table, const TextColumn& column) {
  if (column.are_numbers || !has_decimal_comma(column.first_word)) return;
  const bool all = std::ranges::all_of(column.words, is_meant_as_number);
  if (all)
    throw DataError(fmt::format("{}:{}: column '{}': {}", table.name, column.line_of_word, column.name,
                                decimal_comma_text(column.first_word, table.separator)));
}

TextTable read_text_table(const std::filesystem::path& path, const CsvOptions& options,
                          const std::vector<std::string>& missing) {
  return TextTableReader(path, options, missing).read();
}

}  // namespace v1
}  // namespace harmonium
