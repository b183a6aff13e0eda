#include <harmonium/framework/run/sections.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* known_sections[] = {"seed",        "precision", "plugins",   "start_from",   "data",
                                          "model",       "estimator", "optimizer", "regularizers", "training",
                                          "initializer", "observers", "pictures"};

}  // namespace

std::string written_at(const Value& v) { return v.where.empty() ? "" : v.where + ": "; }

void check_sections(const Value& config) {
  if (!config.is_table()) throw ConfigError(written_at(config) + "a configuration is a table");
  const std::vector<std::string> known(std::begin(known_sections), std::end(known_sections));
  for (const auto& [key, value] : std::get<Value::Table>(config.data)) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw ConfigError(fmt::format("{}unknown section '{}'{}. Known: {}.", written_at(value), key,
                                  did_you_mean(key, known), fmt::join(known, ", ")));
  }
}

Value section(const Value& config, std::string_view name, std::string_view fallback_type, const char* why) {
  if (const Value* found = config.find(name)) {
    if (!found->is_table())
      throw ConfigError(fmt::format("{}[{}] must be a table, not {}.", written_at(*found), name, found->type_name()));
    Value table = *found;
    if (!table.find("type") && !fallback_type.empty()) table.set("type", make_value(std::string(fallback_type)));
    return table;
  }
  if (fallback_type.empty())
    throw ConfigError(fmt::format("{}the table [{}] is missing: {}.", written_at(config), name, why));
  return make_table({{"type", make_value(std::string(fallback_type))}});
}

std::vector<Value> tables_of(const Value& config, std::string_view name) {
  const Value* found = config.find(name);
  if (!found) return {};
  if (!found->is_list())
    throw ConfigError(fmt::format("{}'{}' must be a list of tables: write [[{}]].", written_at(*found), name, name));
  return std::get<Value::List>(found->data);
}

void make_absolute(Value* path, const std::string& folder) {
  if (!path || !path->is_string()) return;
  auto& text = std::get<std::string>(path->data);
  if (text.empty() || std::filesystem::path(text).is_absolute()) return;
  const bool from_command_line = path->where.starts_with("--");
  const std::filesystem::path base =
      from_command_line || folder.empty() ? std::filesystem::current_path() : std::filesystem::absolute(folder);
  text = (base / text).lexically_normal().string();
}

Value absolute_data_paths(const Value& data, const std::string& folder) {
  Value result = data;
  for (const char* key : data_path_keys) make_absolute(result.find(key), folder);
  return result;
}

void check_purposes(const Value& effective) {
  std::map<std::uint64_t, std::string> seen;
  const auto visit = [&](auto&& self, const Value& table, const std::string& path) -> void {
    for (const auto& [key, value] : std::get<Value::Table>(table.data)) {
      if (!value.is_table()) continue;
      const std::string own = path.empty() ? key : path + "/" + key;
      const auto [at, added] = seen.try_emplace(purpose_of(own), own);
      if (!added)
        throw ConfigError(
            fmt::format("'{}' and '{}' would draw the same random words (their names have one hash). Rename "
                        "one.",
                        at->second, own));
      self(self, value, own);
    }
  };
  visit(visit, effective, "");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
