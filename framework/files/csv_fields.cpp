#include <harmonium/framework/files/csv_fields.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::pair<double, NumberFault> csv_number(std::string_view text) {
  if (text.empty()) return {0, NumberFault::empty};
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return {0, NumberFault::no_number};
  if (error == std::errc::result_out_of_range) return {0, NumberFault::out_of_range};
  return {value, std::isfinite(value) ? NumberFault::none : NumberFault::not_finite};
}

bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  std::string pointed(text);
  pointed[comma] = '.';
  return csv_number(pointed).second == NumberFault::none;
}

std::string decimal_comma_text(std::string_view text, char separator) {
  return fmt::format("'{:.40}' has a decimal comma, and numbers are read with a point. {}", text,
                     separator == ',' ? "Write them so." : "This writes all of them so: tr , . < FILE > NEW.csv");
}

std::optional<CsvField> cut_csv_field(std::string_view rest, char separator) {
  const std::string_view blanks = separator == '\t' ? " " : " \t";
  const std::size_t begin = std::min(rest.find_first_not_of(blanks), rest.size());
  std::string_view line = rest.substr(begin);
  CsvField field;
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
      field.text = without_blanks(line.substr(0, end));
    } else {
      end = separator == ' ' ? end : next;
    }
  } else {
    end = separator == ' ' ? line.find_first_of(blanks) : line.find(separator);
    end = std::min(end, line.size());
    field.text = without_blanks(line.substr(0, end));
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

namespace {

char find_separator(std::string_view line) {
  bool quoted = false;
  std::string seen;
  for (const char c : without_blanks(line)) {
    if (c == '"') quoted = !quoted;
    else if (!quoted) seen += c;
  }
  for (const char c : {'\t', ';', ','})
    if (seen.find(c) != std::string::npos) return c;
  return seen.find(' ') != std::string::npos ? ' ' : ',';
}

}  // namespace

char csv_separator(CsvSeparator asked, std::string_view first_line) {
  switch (asked) {
    case CsvSeparator::automatic: break;
    case CsvSeparator::comma: return ',';
    case CsvSeparator::semicolon: return ';';
    case CsvSeparator::tab: return '\t';
    case CsvSeparator::space: return ' ';
  }
  return find_separator(first_line);
}

std::string other_fields_text(Index fields, Index first, CsvSeparator asked, char separator) {
  std::string text = fmt::format("has {} field{}, but the first line has {}", fields, fields == 1 ? "" : "s", first);
  if (asked != CsvSeparator::automatic || separator != ' ') return text;
  return text +
         ", which was cut at its blanks. Where these are part of a field, set data.separator to \"comma\", "
         "\"semicolon\" or \"tab\".";
}

std::vector<std::string> csv_fields(const LineReader& lines, std::string_view line, char separator) {
  std::vector<std::string> fields;
  for (std::optional<std::string_view> rest = line; rest;) {
    std::optional<CsvField> field = cut_csv_field(*rest, separator);
    if (!field)
      throw DataError(fmt::format("{}:{}: field {}: a quotation mark without its partner", lines.name(), lines.number(),
                                  fields.size() + 1));
    rest = field->rest;
    fields.push_back(std::move(field->text));
  }
  return fields;
}

}  // namespace v1
}  // namespace harmonium
