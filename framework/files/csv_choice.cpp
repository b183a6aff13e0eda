#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_fields.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Names beside each other in a file, for its columns are to be told apart by them.
void refuse_twice(const std::string& file, const std::string& wanted, const std::vector<std::string>& names) {
  if (std::ranges::count(names, wanted) < 2) return;
  throw ConfigError(
      fmt::format("[data] {}: two columns are called '{}'. Name the column by its number, from 1.", file, wanted));
}

Index need_column(const char* option, const std::string& file, const std::string& wanted, Index fields,
                  const std::vector<std::string>& names) {
  if (const auto found = find_csv_column(wanted, fields, names)) {
    refuse_twice(file, wanted, names);
    return *found;
  }
  throw ConfigError(
      fmt::format("[data] {} names '{}', but {} has no such column{}. Give a name of its header, or a "
                  "number from 1 to {}.",
                  option, wanted, file, names.empty() ? " (nor a header)" : did_you_mean(wanted, names), fields));
}

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
           "whether the first line names the columns; auto: found by how many of its fields are no numbers");
  o.choice("separator", separator, separators, "what stands between fields; auto: found in the first line");
  o.option("label_column", label_column,
           "the column that holds each row's class: its name, its number from 1, or \"last\"; empty: none");
  o.option("columns", columns, "the columns that are read, named in the same way, in this order; empty: all others");
  o.option("ignore", ignore, "columns that are left out, named in the same way");
  o.option("classes", classes,
           "the words that the column of classes may hold, that of class 0 first; empty: found, where it holds words");
}

void CsvOptions::validate() const {
  if (!columns.empty() && !ignore.empty())
    throw ConfigError("columns and ignore are both given (what columns does not name is left out). Remove one.");
}

void CsvOptions::check_classes() const {
  if (!classes.empty() && label_column.empty())
    throw ConfigError("classes is given, but label_column is not. Set label_column, or leave classes out.");
}

std::optional<Index> find_csv_column(const std::string& wanted, Index fields, const std::vector<std::string>& names) {
  if (const auto at = std::ranges::find(names, wanted); at != names.end())
    return static_cast<Index>(at - names.begin());
  if (wanted == "last") return fields - 1;
  Index number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (error == std::errc() && end == wanted.data() + wanted.size() && number >= 1 && number <= fields)
    return number - 1;
  return {};
}

CsvChoice choose_csv_columns(const CsvOptions& options, const std::string& file, Index fields,
                             const std::vector<std::string>& names) {
  CsvChoice choice;
  if (const std::string& wanted = options.label_column; !wanted.empty()) {
    const auto found = find_csv_column(wanted, fields, names);
    if (!found)
      throw ConfigError(fmt::format(
          "[data] label_column is '{}', but {} has no such column{}. Give a number from 1 to {}, or \"last\".", wanted,
          file, names.empty() ? " (nor a header)" : did_you_mean(wanted, names), fields));
    choice.label = *found;
  }
  choice.column.assign(fields, CsvChoice::left_out);
  if (options.columns.empty()) {
    std::vector<bool> ignored(fields, false);
    for (const std::string& name : options.ignore) ignored[need_column("ignore", file, name, fields, names)] = true;
    for (Index f = 0; f < fields; ++f)
      if (f != choice.label && !ignored[f]) choice.column[f] = choice.columns++;
    if (choice.label != CsvChoice::left_out && ignored[choice.label])
      throw ConfigError(
          fmt::format("[data] ignore names '{}', the column of the classes. Take it out of one of the "
                      "two.",
                      options.label_column));
  }
  for (const std::string& name : options.columns) {
    const Index field = need_column("columns", file, name, fields, names);
    if (field == choice.label)
      throw ConfigError(
          fmt::format("[data] columns names '{}', the column of the classes. Take it out of one of the "
                      "two.",
                      name));
    if (choice.column[field] != CsvChoice::left_out)
      throw ConfigError(fmt::format("[data] columns names '{}' twice. Leave one out.", name));
    choice.column[field] = choice.columns++;
  }
  if (choice.columns == 0)
    throw DataError(fmt::format("{}: has no columns besides {}", file,
                                options.ignore.empty() ? "the labels" : "those that are left out"));
  return choice;
}

}  // namespace v1
}  // namespace harmonium
