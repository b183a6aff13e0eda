#include <harmonium/framework/run/sections.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/own_name.hpp>
#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/execution/stream.hpp>
#include <harmonium/framework/run/run_pictures.hpp>
#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* known_sections[] = {"seed",     "data_seed",   "precision", "plugins",   "start_from",
                                          "data",     "model",       "estimator", "optimizer", "regularizers",
                                          "training", "initializer", "observers", "pictures"};

template <class Options>
bool has_option(std::string_view name) {
  const std::vector<OptionInfo> all = describe_options([](OptionBinder& binder) { Options().bind(binder); });
  return std::ranges::any_of(all, [&](const OptionInfo& o) { return o.name == name; });
}

/// "training.num_epochs" for "num_epochs": the option of that name in a section, or in the component that a section names;
/// empty where there is none.
std::string place_of_option(const Value& config, const Registries& registries, std::string_view name) {
  if (has_option<TrainingOptions>(name)) return fmt::format("training.{}", name);
  // What several have is meant of the estimator rather than of what is made besides.
  for (const char* const section : {"estimator", "optimizer", "model", "data", "initializer"}) {
    const Value* given = config.find(section);
    const Value* type = given && given->is_table() ? given->find("type") : given;
    const std::string usual = std::string_view(section) == "optimizer" ? "sgd" : "";
    const std::string component = type && type->is_string() ? std::get<std::string>(type->data) : usual;
    const auto known = option_names(registries, section, component);
    if (known && std::ranges::find(*known, name) != known->end()) return fmt::format("{}.{}", section, name);
  }
  if (has_option<RunPictureOptions>(name)) return fmt::format("pictures.{}", name);
  return {};
}

/// Throws where [training] has an option of another section, and says which one.
void check_training(const Value& config, const Registries& registries) {
  const Value* training = config.find("training");
  if (!training || !training->is_table()) return;
  std::vector<std::string> own;
  for (const OptionInfo& o : describe_options([](OptionBinder& binder) { TrainingOptions().bind(binder); }))
    own.push_back(o.name.substr(0, o.name.find('.')));
  for (const auto& [key, value] : std::get<Value::Table>(training->data)) {
    if (!nearest_name(key, own).empty()) continue;  // its own, or nearly: its reader tells
    if (std::ranges::find(known_sections, key) != std::end(known_sections))
      throw ConfigError(
          fmt::format("{}'{}' is a section of its own: its options stand below a line [{}], and not below "
                      "[training].",
                      written_at(value), key, key));
    const std::string home = place_of_option(config, registries, own_name(key));
    if (home.empty()) continue;
    throw ConfigError(
        fmt::format("{}training: unknown option '{}' (did you mean '{}'?).", written_at(value), key, home));
  }
}

/// Visits the string `run` of each table in a configuration.
template <class V, class Visit>
void for_each_run(V& value, const Visit& visit) {
  if (value.is_table()) {
    if (V* const run = value.find("run"); run && run->is_string()) visit(*run);
    for (auto& [key, member] : std::get<Value::Table>(value.data)) for_each_run(member, visit);
  } else if (value.is_list()) {
    for (V& member : std::get<Value::List>(value.data)) for_each_run(member, visit);
  }
}

}  // namespace

const Value& written_option(const Value& config, std::string_view table, std::string_view option) {
  const Value* found = config.find(table);
  const Value* value = found ? found->find(option) : nullptr;
  return value ? *value : found ? *found : config;
}

std::optional<std::vector<std::string>> option_names(const Registries& registries, std::string_view kind,
                                                     std::string_view name) {
  for (const ComponentInfo& c : registries.components()) {
    if (c.kind != kind || c.name != name) continue;
    std::vector<std::string> names;
    for (const OptionInfo& o : c.options) names.push_back(o.name);
    return names;
  }
  return {};
}

void check_sections(const Value& config, const Registries& registries) {
  if (!config.is_table()) throw ConfigError(written_at(config) + "a configuration is a table");
  const std::vector<std::string> known(std::begin(known_sections), std::end(known_sections));
  for (const auto& [key, value] : std::get<Value::Table>(config.data)) {
    if (std::ranges::find(known, key) != known.end()) continue;
    for (const char* own : {"base", "machines", "grid", "random", "list"})
      if (key == own)
        throw ConfigError(
            fmt::format("{}'{}' is no section of a run: files that have it are for 'harmonium stack' "
                        "([[machines]]) or 'harmonium sweep'.",
                        written_at(value), key));
    const std::string home = place_of_option(config, registries, own_name(key));
    std::string hint = home.empty() ? did_you_mean(key, known) : fmt::format(" (did you mean '{}'?)", home);
    if (hint.empty()) hint = kept_elsewhere(key);
    throw ConfigError(
        fmt::format("{}unknown section '{}'{}. Known: {}.", written_at(value), key, hint, fmt::join(known, ", ")));
  }
  check_training(config, registries);
}

Value section(const Value& config, std::string_view name, std::string_view fallback_type, const char* why) {
  if (const Value* found = config.find(name)) {
    Value table = spelled_out(*found, "type");
    if (!table.is_table())
      throw ConfigError(fmt::format("{}[{}] must be a table, or the name of a type, not {}.", written_at(*found), name,
                                    found->type_name()));
    if (!table.find("type") && !fallback_type.empty()) table.set("type", make_value(std::string(fallback_type)));
    return table;
  }
  if (fallback_type.empty()) {
    // Of TOML what stands below a table's head is the table's.
    for (const char* other : {"data", "model", "estimator", "optimizer", "training"})
      if (const Value* table = config.find(other); table && table->is_table() && table->find(name))
        throw ConfigError(fmt::format(
            "{}'{}' stands below [{}], and is taken for a part of that. Write it above, or as a table [{}].",
            written_at(*table->find(name)), name, other, name));
    throw ConfigError(fmt::format("{}the table [{}] is missing: {}.", written_at(config), name, why));
  }
  return make_table({{"type", make_value(std::string(fallback_type))}});
}

std::vector<Value> tables_of(const Value& config, std::string_view name) {
  const Value* found = config.find(name);
  if (!found) return {};
  if (found->is_table() || found->is_string())
    return {spelled_out(*found, "type")};  // one without the brackets of a list
  if (!found->is_list())
    throw ConfigError(fmt::format("{}'{}' must be a list of tables: write [[{}]].", written_at(*found), name, name));
  std::vector<Value> tables = std::get<Value::List>(found->data);
  for (Value& table : tables) table = spelled_out(std::move(table), "type");
  return tables;
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

Value absolute_run_paths(Value config, const std::string& folder) {
  for_each_run(config, [&](Value& run) { make_absolute(&run, folder); });
  return config;
}

std::vector<std::string> run_paths(const Value& config) {
  std::vector<std::string> found;
  for_each_run(config, [&](const Value& run) {
    if (const auto& path = std::get<std::string>(run.data); !path.empty()) found.push_back(path);
  });
  return found;
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
