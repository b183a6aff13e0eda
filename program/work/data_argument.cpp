#include <harmonium/program/work/data_argument.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/fasta_alphabet.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The sources that make their rows: those that read no file.
std::vector<std::string> generators(const Registries& registries) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : registries.of<DataSource>().entries())
    if (std::ranges::none_of(entry.describe(), [](const OptionInfo& o) { return o.name == "path"; }))
      names.push_back(name);
  return names;
}

/// "a=1,b=[2,3]" at its commas, but for those within brackets, braces and quotation marks.
std::vector<std::string> cut_settings(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '[' || c == '{') ++depth;
    else if (c == ']' || c == '}') --depth;
    if (c == ',' && quote == 0 && depth <= 0) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

/// "data.a=1", "data.b=[2,3]": the settings behind a colon as --set takes them. `argument` is in front of messages.
std::vector<std::string> assignments(const std::string& argument, const std::string& settings) {
  std::vector<std::string> all, keys;
  for (const std::string& setting : settings.empty() ? std::vector<std::string>{} : cut_settings(settings)) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ConfigError(
          fmt::format("{}: '{}' is no KEY=VALUE. Write what is set as in bars_and_stripes:side=4 or "
                      "digits.npy:binarize=threshold,range=[0,16].",
                      argument, setting));
    const std::string key = setting.substr(0, equals);
    if (std::ranges::find(keys, key) != keys.end())
      throw ConfigError(fmt::format("{}: '{}' stands there twice. Leave one out.", argument, key));
    keys.push_back(key);
    all.push_back("data." + setting);
  }
  return all;
}

/// Adds the settings behind a colon to the table `data` of `options`, which has the last word.
Value with_settings(const std::string& argument, const std::string& settings, const Value& options) {
  Value own = make_table();
  for (const std::string& assignment : assignments(argument, settings)) set_or_take_back(own, assignment);
  Value merged = options;
  Value table = own.find("data") ? *own.find("data") : make_table();
  if (const Value* set = options.find("data"))
    for (const auto& [key, value] : std::get<Value::Table>(set->data)) table.set(key, value);
  if (!std::get<Value::Table>(table.data).empty()) merged.set("data", std::move(table));
  return merged;
}

Value with_type(const std::string& argument, const std::string& name, Value options) {
  if (const Value* set = options.find("data"))
    if (const Value* type = set->find("type"); type && !(*type == make_value(name)))
      throw ConfigError(fmt::format("{}: {} names the kind of data already. Leave one out.", type->where, argument));
  Value table = options.find("data") ? *options.find("data") : make_table();
  Value type = make_value(name);
  type.where = argument;
  table.set("type", std::move(type));
  options.set("data", std::move(table));
  return options;
}

/// Neither a file nor a source that makes rows.
[[noreturn]] void refuse_name(const std::string& argument, const std::string& name, const Registries& registries) {
  const std::vector<std::string> known = generators(registries);
  if (registries.of<DataSource>().entries().contains(name))
    throw ConfigError(
        fmt::format("{}: '{}' reads a file. Name the file itself, as in FILE or FILE:KEY=VALUE.", argument, name));
  throw ConfigError(fmt::format("{}: '{}' is no file and no source that makes its rows{}. Name a file, or one of {}.",
                                argument, name, did_you_mean(name, known), fmt::join(known, ", ")));
}

}  // namespace

std::string file_named_in(const std::string& text) {
  std::error_code error;
  if (text.empty() || std::filesystem::exists(text, error)) return text;
  for (std::size_t at = text.find(':'); at < text.size(); at = text.find(':', at + 1))
    if (std::string file = text.substr(0, at); std::filesystem::exists(file, error)) return file;
  return "";
}

std::vector<std::string> settings_named_in(const std::string& text) {
  const std::string file = file_named_in(text);
  return file.empty() || file == text ? std::vector<std::string>{} : assignments(text, text.substr(file.size() + 1));
}

bool names_made_rows(const std::string& text, const Registries& registries) {
  std::error_code error;
  if (text.empty() || std::filesystem::exists(text, error)) return false;
  const std::vector<std::string> known = generators(registries);
  return std::ranges::find(known, text.substr(0, text.find(':'))) != known.end();
}

DataArgument data_argument(const std::string& text, const Value& options, const Registries& registries,
                           const std::string& flag) {
  const std::string argument = flag + text;
  std::error_code error;
  if (text.empty() || std::filesystem::exists(text, error)) return {text, options};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  const std::vector<std::string> known = generators(registries);
  if (names_made_rows(text, registries)) {
    const std::string settings = colon < text.size() ? text.substr(colon + 1) : "";
    return {"", with_type(argument, name, with_settings(argument, settings, options))};
  }
  if (const std::string file = file_named_in(text); !file.empty())
    return {file, with_settings(argument, text.substr(file.size() + 1), options)};
  // Of a path the reader says that there is no such file.
  const bool path = name.find_first_of("/.") != std::string::npos;
  if (colon == text.size() && (path || did_you_mean(name, known).empty())) return {text, options};
  if (path) return {name, with_settings(argument, text.substr(colon + 1), options)};
  refuse_name(argument, name, registries);
}

Value source_of(const std::string& text, const Value& options, const Registries& registries) {
  const DataArgument given = data_argument(text, options, registries, "");
  Value source = make_table();
  const Value* set = given.options.find("data");
  if (!given.file.empty()) {
    const Value* type = set ? set->find("type") : nullptr;
    source.set("type", type ? *type : make_value(data_type_of_file(given.file)));
    source.set("path", make_value(given.file));
  } else if (set) source.set("type", *set->find("type"));
  if (set)
    for (const auto& [key, value] : std::get<Value::Table>(set->data))
      if (!value.is_empty()) source.set(key, value);
  if (*source.find("type") == make_value("fasta") && !source.find("alphabet")) {
    const bool keeps_gap = source.find("gap") || source.find("unknown");
    source.set("alphabet", make_value(fasta_alphabet(std::array{std::filesystem::path(given.file)},
                                                     keeps_gap ? GapState::always : GapState::if_met)));
  }
  return source;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
