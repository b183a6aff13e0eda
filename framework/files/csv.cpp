#include <harmonium/framework/files/csv.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/files/csv_classes.hpp>
#include <harmonium/framework/files/csv_fields.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

class CsvParser {
 public:
  CsvParser(const std::filesystem::path& path, const CsvOptions& options)
      : lines_(path),
        options_(options),
        classes_(options.classes, options.missing ? AbsentClass::unseen : AbsentClass::refuse) {}

  /// Of the columns that are taken, and of that of the labels.
  CsvNames names() {
    begin(lines_.next().value_or(""));
    CsvNames names;
    if (content_.names.empty()) return names;
    names.columns.resize(choice_.columns);
    for (Index f = 0; f < fields_; ++f)
      if (choice_.column[f] != CsvChoice::left_out) names.columns[choice_.column[f]] = content_.names[f];
    if (choice_.label != CsvChoice::left_out) names.label = content_.names[choice_.label];
    return names;
  }

  /// Of all columns, whichever are taken.
  std::vector<std::string> header() {
    const std::string_view line = lines_.next().value_or("");
    if (without_blanks(line).empty()) return {};  // whoever reads the rows tells
    look(line);
    return std::move(content_.names);
  }

  /// How many are taken, that of the classes among them.
  Index columns() {
    const std::string_view line = lines_.next().value_or("");
    if (without_blanks(line).empty()) return 0;  // whoever reads the rows tells
    look(line);
    CsvOptions all = options_;
    all.label_column.clear();
    return choose_csv_columns(all, lines_.name(), fields_, content_.names).columns;
  }

  CsvContent parse() {
    std::optional<std::string_view> line = lines_.next();
    if (!line || without_blanks(*line).empty()) {
      while (line && without_blanks(*line).empty()) line = lines_.next();
      if (!line) throw DataError(fmt::format("{}: has no rows (the file is empty)", lines_.name()));
      throw DataError(fmt::format("{}:1: is empty (a row of numbers or a header expected)", lines_.name()));
    }
    begin(*line);
    if (!content_.names.empty()) line = lines_.next();
    std::uint64_t blank = 0;  // the number of the first of some blank lines
    for (; line; line = lines_.next()) {
      if (without_blanks(*line).empty()) {
        if (blank == 0) blank = lines_.number();
        continue;
      }
      if (blank != 0)
        throw DataError(fmt::format("{}:{}: is empty, and more rows follow. Remove it.", lines_.name(), blank));
      row(*line);
    }
    if (rows_ == 0) throw DataError(fmt::format("{}: has no rows (a header alone)", lines_.name()));
    Table& table = content_.table;
    table.rows = rows_;
    table.cols = choice_.columns;
    table.shape = {rows_, choice_.columns};
    if (wide_) table.values = std::move(numbers_);
    else table.values = std::move(bytes_);
    content_.labels = classes_.take();
    content_.classes = classes_.words();
    return std::move(content_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(fmt::format("{}:{}: {}", lines_.name(), lines_.number(), problem));
  }
  std::string place(Index field) const {
    return field < content_.names.size() ? fmt::format("field {} ('{}')", field + 1, content_.names[field])
                                         : fmt::format("field {}", field + 1);
  }

  // What the first line tells, and which of its fields are taken.
  void begin(std::string_view line) {
    look(line);
    choice_ = choose_csv_columns(options_, lines_.name(), fields_, content_.names);
  }

  // Separator, header, and how many fields there are.
  void look(std::string_view line) {
    separator_ = csv_separator(options_.separator, line);
    std::vector<std::string> fields = csv_fields(lines_, line, separator_);
    fields_ = fields.size();
    // Words may stand in the column of the classes and in those that are left out: they tell of no header.
    std::vector<bool> counts(fields_, true);
    for (const std::string& name : options_.ignore)
      if (const auto found = find_csv_column(name, fields_, {})) counts[*found] = false;
    if (const auto label = find_csv_column(options_.label_column, fields_, {})) counts[*label] = false;
    Index words = 0, looked_at = 0, with_comma = 0;
    for (Index f = 0; f < fields_; ++f) {
      if (!counts[f]) continue;
      ++looked_at;
      if (csv_number(fields[f]).second != NumberFault::no_number) continue;
      ++words;
      with_comma += has_decimal_comma(fields[f]) ? 1 : 0;
    }
    if (options_.header == CsvHeader::automatic && with_comma > 0 && with_comma == words) {
      const auto first = std::ranges::find_if(fields, has_decimal_comma);
      fail(fmt::format("{}: {}", place(static_cast<Index>(first - fields.begin())),
                       decimal_comma_text(*first, separator_)));
    }
    if (options_.header == CsvHeader::automatic && words > 0 && 4 * words <= looked_at)
      fail(
          fmt::format("{} of its {} fields are no numbers: too many for a row, too few for a header. Mend it, or set "
                      "data.header to "
                      "\"yes\" or \"no\"",
                      words, looked_at));
    if (options_.header == CsvHeader::present || (options_.header == CsvHeader::automatic && words > 0))
      content_.names = std::move(fields);
  }

  void row(std::string_view line) {
    const char* p = line.data();
    const char* const end = p + line.size();
    const std::size_t start = rows_ * choice_.columns;
    if (wide_) numbers_.resize(start + choice_.columns);
    else bytes_.resize(start + choice_.columns);
    Index field = 0;
    for (;; ++field) {
      // A small integer that ends where the field does is the common case.
      unsigned n = 0;
      const char* q = p;
      for (; q < end && q - p < 3 && static_cast<unsigned char>(*q - '0') < 10; ++q)
        n = 10 * n + static_cast<unsigned>(*q - '0');
      double value = n;
      bool short_number = true;
      std::optional<std::string_view> rest;
      if (q > p && (q == end || (*q == separator_ && separator_ != ' '))) {
        if (q < end) rest = std::string_view(q + 1, static_cast<std::size_t>(end - q - 1));
      } else {
        std::optional<CsvField> cut = cut_csv_field({p, static_cast<std::size_t>(end - p)}, separator_);
        if (!cut) fail(fmt::format("{}: a quotation mark without its partner", place(field)));
        rest = cut->rest;
        if (field == choice_.label) take_class(std::string(without_blanks(cut->text)), field);
        else if (taken(field)) value = number(cut->text, field);
        short_number = false;
      }
      if (short_number && field == choice_.label) take_class(std::string(p, q), field);
      if (taken(field)) store(start + choice_.column[field], value);
      if (!rest) break;
      p = rest->data();
    }
    if (field + 1 != fields_) fail(other_fields_text(field + 1, fields_, options_.separator, separator_));
    ++rows_;
  }

  bool taken(Index field) const { return field < fields_ && choice_.column[field] != CsvChoice::left_out; }

  void take_class(const std::string& text, Index field) {
    const std::string problem = classes_.add(text);
    if (!problem.empty()) fail(fmt::format("{} {}", place(field), problem));
  }

  double number(const std::string& text, Index field) const {
    const auto [value, fault] = csv_number(without_blanks(text));
    if (options_.missing && (fault == NumberFault::empty || std::isnan(value)))
      return std::numeric_limits<double>::quiet_NaN();
    switch (fault) {
      case NumberFault::none: break;
      case NumberFault::empty:
        fail(fmt::format(
            "{} is empty (a number expected). Fill it in, leave out the row, or set data.missing = \"nan\".",
            place(field)));
      case NumberFault::no_number:
        if (has_decimal_comma(without_blanks(text)))
          fail(fmt::format("{}: {}", place(field), decimal_comma_text(text, separator_)));
        fail(fmt::format("{}: '{:.40}' is no number{}", place(field), text,
                         text.find(',') != std::string::npos ? " (a decimal point expected)" : ""));
      case NumberFault::out_of_range: fail(fmt::format("{}: {:.40} is beyond what a number holds", place(field), text));
      case NumberFault::not_finite:
        fail(
            fmt::format("{} is {:.40} (a finite number expected){}", place(field), text,
                        std::isnan(value) ? ". If that means that nothing was seen, set data.missing = \"nan\"." : ""));
    }
    return value;
  }

  void store(std::size_t at, double value) {
    if (wide_) {
      numbers_[at] = value;
      return;
    }
    if (value >= 0 && value <= 255 && value == std::floor(value) && !std::signbit(value)) {
      bytes_[at] = static_cast<std::uint8_t>(value);
      return;
    }
    numbers_.assign(bytes_.begin(), bytes_.end());
    bytes_ = {};
    wide_ = true;
    numbers_[at] = value;
  }

  LineReader lines_;
  const CsvOptions& options_;
  CsvClasses classes_;
  CsvContent content_;
  CsvChoice choice_;
  char separator_ = ',';
  Index fields_ = 0, rows_ = 0;
  bool wide_ = false;  // whether a number was met that is no byte
  std::vector<std::uint8_t> bytes_;
  std::vector<double> numbers_;
};

}  // namespace

CsvNames read_csv_names(const std::filesystem::path& path, const CsvOptions& options) {
  return CsvParser(path, options).names();
}

std::vector<std::string> read_csv_header(const std::filesystem::path& path, const CsvOptions& options) {
  return CsvParser(path, options).header();
}

Index count_csv_columns(const std::filesystem::path& path, const CsvOptions& options) {
  return CsvParser(path, options).columns();
}

CsvContent read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return CsvParser(path, options).parse();
}

}  // namespace v1
}  // namespace harmonium
