#include <harmonium/program/swept_settings.hpp>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv_fields.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

/// Empty where the line is none of CSV.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::optional<std::string_view> rest = line;
  while (rest) {
    const std::optional<CsvField> field = cut_csv_field(*rest, ',');
    if (!field) return {};
    cells.push_back(field->text);
    rest = field->rest;
  }
  return cells;
}

/// A cell is a text without its quotation marks, or a value as a configuration has it.
Value value_of(const std::string& cell) {
  try {
    const Value table = parse_toml("value = " + cell, "");
    if (const Value* value = table.find("value"); value && std::get<Value::Table>(table.data).size() == 1) {
      Value read = *value;
      read.where.clear();
      return read;
    }
  } catch (const ConfigError&) {
  }
  return make_value(cell);
}

}  // namespace

Value swept_settings(const fs::path& run) {
  std::error_code error;
  const fs::path whole = fs::canonical(run, error);
  if (error || whole.parent_path().filename() != "runs") return {};
  const fs::path sweep = whole.parent_path().parent_path();
  std::ifstream table(sweep / "sweep.csv");
  std::string line;
  if (!std::getline(table, line)) return {};
  const std::vector<std::string> names = cells_of(line);
  if (names.empty() || names[0] != "run") return {};
  const std::string own = "runs/" + whole.filename().string();
  while (std::getline(table, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != names.size() || cells[0] != own) continue;
    Value settings = make_table();
    settings.where = sweep.string();
    for (std::size_t k = 1; k < names.size() && names[k] != "status"; ++k)
      if (!cells[k].empty()) settings.set(names[k], value_of(cells[k]));
    return settings;
  }
  return {};
}

}  // namespace v1
}  // namespace harmonium
