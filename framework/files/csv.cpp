#include <harmonium/framework/files/csv.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

enum class Fault { none, empty, no_number, out_of_range, not_finite };

std::pair<double, Fault> number_of(std::string_view text) {
  if (text.empty()) return {0, Fault::empty};
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return {0, Fault::no_number};
  if (error == std::errc::result_out_of_range) return {0, Fault::out_of_range};
  return {value, std::isfinite(value) ? Fault::none : Fault::not_finite};
}

// A field without its quotation marks, and all that follows it but the separator.
struct Field {
  std::string text;
  std::optional<std::string_view> rest;  // none: it was the last
};

// The field at the beginning of `rest`; nothing where a quotation mark has no partner.
std::optional<Field> cut_field(std::string_view rest, char separator) {
  const std::string_view blanks = separator == '\t' ? " " : " \t";
  const std::size_t begin = std::min(rest.find_first_not_of(blanks), rest.size());
  std::string_view line = rest.substr(begin);
  Field field;
  std::size_t end = 0;
  if (line.starts_with('"')) {
    bool closed = false;
    for (end = 1; end < line.size() && !closed; ++end) {
      const bool quote = line[end] == '"', twice = quote && end + 1 < line.size() && line[end + 1] == '"';
      if (twice) ++end;
      if (quote && !twice) closed = true;
      else field.text += line[end];
    }
    if (!closed) return std::nullopt;
    const std::size_t next = std::min(line.find_first_not_of(blanks, end), line.size());
    if (separator != ' ' && next < line.size() && line[next] != separator) {  // as in "a" b: no quoted field after all
      end = std::min(line.find(separator), line.size());
      field.text = trimmed(line.substr(0, end));
    } else {
      end = separator == ' ' ? end : next;
    }
  } else {
    end = separator == ' ' ? line.find_first_of(blanks) : line.find(separator);
    end = std::min(end, line.size());
    field.text = trimmed(line.substr(0, end));
  }
  line.remove_prefix(end);
  if (separator == ' ') {
    const std::size_t next = line.find_first_not_of(blanks);
    if (next != std::string::npos) field.rest = line.substr(next);
  } else if (!line.empty()) {
    field.rest = line.substr(1);
  }
  return field;
}

char find_separator(std::string_view line) {
  bool quoted = false;
  std::string seen;
  for (const char c : trimmed(line)) {
    if (c == '"') quoted = !quoted;
    else if (!quoted) seen += c;
  }
  for (const char c : {'\t', ';', ','})
    if (seen.find(c) != std::string::npos) return c;
  return seen.find(' ') != std::string::npos ? ' ' : ',';
}

class CsvParser {
 public:
  CsvParser(const std::filesystem::path& path, const CsvOptions& options) : lines_(path), options_(options) {}

  /// Of the columns but that of the labels, and of that one.
  CsvNames names() {
    begin(lines_.next().value_or(""));
    CsvNames names{std::move(content_.names), {}};
    if (label_ < names.columns.size()) {
      names.label = names.columns[label_];
      names.columns.erase(names.columns.begin() + static_cast<std::ptrdiff_t>(label_));
    }
    return names;
  }

  CsvContent parse() {
    std::optional<std::string_view> line = lines_.next();
    if (!line || trimmed(*line).empty()) {
      while (line && trimmed(*line).empty()) line = lines_.next();
      if (!line) throw DataError(fmt::format("{}: has no rows (the file is empty)", lines_.name()));
      throw DataError(fmt::format("{}:1: is empty (a row of numbers or a header expected)", lines_.name()));
    }
    begin(*line);
    if (!content_.names.empty()) line = lines_.next();
    std::uint64_t blank = 0;  // the number of the first of some blank lines
    for (; line; line = lines_.next()) {
      if (trimmed(*line).empty()) {
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
    table.cols = columns_;
    table.shape = {rows_, columns_};
    if (wide_) table.values = std::move(numbers_);
    else table.values = std::move(bytes_);
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

  // What the first line tells: separator, header, how many fields, which of them is the label.
  void begin(std::string_view line) {
    switch (options_.separator) {
      case CsvSeparator::automatic: separator_ = find_separator(line); break;
      case CsvSeparator::comma: separator_ = ','; break;
      case CsvSeparator::semicolon: separator_ = ';'; break;
      case CsvSeparator::tab: separator_ = '\t'; break;
      case CsvSeparator::space: separator_ = ' '; break;
    }
    std::vector<std::string> fields;
    Index words = 0;
    for (std::optional<std::string_view> rest = line; rest;) {
      std::optional<Field> field = cut_field(*rest, separator_);
      if (!field) fail(fmt::format("field {}: a quotation mark without its partner", fields.size() + 1));
      rest = field->rest;
      const Fault fault = number_of(field->text).second;
      words += fault == Fault::no_number ? 1 : 0;
      fields.push_back(std::move(field->text));
    }
    fields_ = fields.size();
    if (options_.header == CsvHeader::automatic && words > 0 && 4 * words <= fields_)
      fail(
          fmt::format("{} of its {} fields are no numbers: too many for a row, too few for a header. Mend it, or set "
                      "data.header to "
                      "\"yes\" or \"no\"",
                      words, fields_));
    if (options_.header == CsvHeader::present || (options_.header == CsvHeader::automatic && words > 0))
      content_.names = std::move(fields);
    label_ = find_label();
    columns_ = fields_ - (label_ < fields_ ? 1 : 0);
    if (columns_ == 0) throw DataError(fmt::format("{}: has no columns besides the labels", lines_.name()));
  }

  Index find_label() const {
    const std::string& wanted = options_.label_column;
    if (wanted.empty()) return fields_;
    const auto& names = content_.names;
    if (const auto at = std::find(names.begin(), names.end(), wanted); at != names.end())
      return static_cast<Index>(at - names.begin());
    if (wanted == "last") return fields_ - 1;
    Index number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && end == wanted.data() + wanted.size() && number >= 1 && number <= fields_)
      return number - 1;
    throw ConfigError(fmt::format(
        "[data] label_column is '{}', but {} has no such column{}. Give a number from 1 to {}, or \"last\".", wanted,
        lines_.name(), names.empty() ? " (nor a header)" : did_you_mean(wanted, names), fields_));
  }

  void row(std::string_view line) {
    const char* p = line.data();
    const char* const end = p + line.size();
    const std::size_t start = rows_ * columns_;
    if (wide_) numbers_.resize(start + columns_);
    else bytes_.resize(start + columns_);
    Index field = 0, column = start;
    for (;; ++field) {
      // A small integer that ends where the field does is the common case.
      unsigned n = 0;
      const char* q = p;
      for (; q < end && q - p < 3 && static_cast<unsigned char>(*q - '0') < 10; ++q)
        n = 10 * n + static_cast<unsigned>(*q - '0');
      double value = n;
      std::optional<std::string_view> rest;
      if (q > p && (q == end || (*q == separator_ && separator_ != ' '))) {
        if (q < end) rest = std::string_view(q + 1, static_cast<std::size_t>(end - q - 1));
      } else {
        std::optional<Field> cut = cut_field({p, static_cast<std::size_t>(end - p)}, separator_);
        if (!cut) fail(fmt::format("{}: a quotation mark without its partner", place(field)));
        rest = cut->rest;
        if (field < fields_) value = number(cut->text, field);
      }
      if (field == label_) content_.labels.push_back(value);
      else if (field < fields_) store(column++, value);
      if (!rest) break;
      p = rest->data();
    }
    if (field + 1 != fields_)
      fail(fmt::format("has {} field{}, but the first line has {}", field + 1, field == 0 ? "" : "s", fields_));
    ++rows_;
  }

  double number(const std::string& text, Index field) const {
    const auto [value, fault] = number_of(trimmed(text));
    if (options_.missing && field != label_ && (fault == Fault::empty || std::isnan(value)))
      return std::numeric_limits<double>::quiet_NaN();
    switch (fault) {
      case Fault::none: break;
      case Fault::empty:
        fail(fmt::format(
            "{} is empty (a number expected). Fill it in, leave out the row, or set data.missing = \"nan\".",
            place(field)));
      case Fault::no_number:
        fail(fmt::format("{}: '{:.40}' is no number{}", place(field), text,
                         text.find(',') != std::string::npos ? " (a decimal point expected)" : ""));
      case Fault::out_of_range: fail(fmt::format("{}: {:.40} is beyond what a number holds", place(field), text));
      case Fault::not_finite: fail(fmt::format("{} is {:.40} (a finite number expected)", place(field), text));
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
  CsvContent content_;
  char separator_ = ',';
  Index fields_ = 0, label_ = 0, columns_ = 0, rows_ = 0;  // label_ is past the end where there is none
  bool wide_ = false;                                      // whether a number was met that is no byte
  std::vector<std::uint8_t> bytes_;
  std::vector<double> numbers_;
};

}  // namespace

void CsvOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<CsvHeader> headers[] = {
      {"auto", CsvHeader::automatic}, {"yes", CsvHeader::present}, {"no", CsvHeader::absent}};
  static constexpr OptionBinder::Choice<CsvSeparator> separators[] = {{"auto", CsvSeparator::automatic},
                                                                      {"comma", CsvSeparator::comma},
                                                                      {"semicolon", CsvSeparator::semicolon},
                                                                      {"tab", CsvSeparator::tab},
                                                                      {"space", CsvSeparator::space}};
  o.choice("header", header, headers,
           "whether the first line names the columns; auto: where more than a quarter of its fields are no numbers");
  o.choice("separator", separator, separators, "what stands between fields; auto: found in the first line");
  o.option("label_column", label_column,
           "the column that holds each row's class: its name, its number from 1, or \"last\"; empty: none");
}

CsvNames read_csv_names(const std::filesystem::path& path, const CsvOptions& options) {
  return CsvParser(path, options).names();
}

CsvContent read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return CsvParser(path, options).parse();
}

}  // namespace v1
}  // namespace harmonium
