#include <harmonium/framework/run/rows_of_commands.hpp>

#include <filesystem>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/row_range.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What is said of a range; empty where `text` is none.
std::string words_on_range(const std::string& text) {
  Value asked = make_table({{"rows", make_value(text)}});
  std::optional<RowRange> range;
  try {
    range = RowRange::take(asked);
  } catch (const ConfigError&) {
    return "";  // the reader of the option says what it takes
  }
  const Index rows = range->end - range->begin;
  return fmt::format(
      "rows = {} is a range, which evaluate, transform, diagnose, gradient and draw take. A run takes a number: "
      "rows = {} {} at random.",
      text, rows, rows == 1 ? "is one row" : fmt::format("are {} rows", rows));
}

/// Throws for FILE:KEY=VALUE where `key` has it.
void refuse_settings_behind(const Value& data, const std::string& key) {
  const Value* path = data.find(key);
  const auto* text = path ? std::get_if<std::string>(&path->data) : nullptr;
  std::error_code error;
  if (!text || std::filesystem::exists(*text, error)) return;
  for (std::size_t at = text->find(':'); at < text->size(); at = text->find(':', at + 1)) {
    const std::string settings = text->substr(at + 1);
    const std::size_t equals = settings.find('=');
    if (equals == std::string::npos || equals == 0 || !std::filesystem::is_regular_file(text->substr(0, at), error))
      continue;
    const std::string rows = key == "path" && settings.starts_with("rows=") ? words_on_range(settings.substr(5)) : "";
    const std::string name = settings.substr(0, equals);
    throw ConfigError(fmt::format(
        "[data] {} '{}': no such file. FILE:KEY=VALUE is for commands that take rows, as by --data; a run takes "
        "'{}'{}.{}{}",
        key, *text, text->substr(0, at),
        key == "path" ? fmt::format(", and has data.{} by itself", name) : " whole, and reads it as it reads data.path",
        rows.empty() ? "" : " And ", rows));
  }
}

}  // namespace

void refuse_rows_of_commands(const Value& data, const std::string& place) {
  for (const char* key : {"path", "validation_path", "test_path"}) refuse_settings_behind(data, key);
  const Value* rows = data.find("rows");
  const auto* text = rows ? std::get_if<std::string>(&rows->data) : nullptr;
  if (!text) return;
  const std::string words = words_on_range(*text);
  if (words.empty()) return;
  const std::string& where = !place.empty() ? place : !rows->where.empty() ? rows->where : data.where;
  throw ConfigError(where.empty() ? "[data] " + words : where + ": " + words);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
