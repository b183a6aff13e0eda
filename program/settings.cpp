#include <harmonium/program/settings.hpp>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/config/written_at.hpp>

namespace harmonium {
inline namespace v1 {

Settings settings_of(const Value& table) {
  Settings settings;
  for_each_key(table, "", is_component,
               [&](const std::string& key, const Value& value) { settings.emplace_back(key, value); });
  return settings;
}

void apply_settings(const Settings& settings, Value& config) {
  for (const auto& [key, value] : settings) {
    const std::string text = write_toml_value(value);
    apply_override(config, key + "=" + text, fmt::format("{}{} = {}", written_at(value), key, text));
  }
}

void set_default_checkpoints(Value& config) {
  const Value* training = config.find("training");
  for (const char* name : {"checkpoint_every", "checkpoint_minutes", "checkpoint_keep"})
    if (training && training->find(name)) return;
  Value table = training ? *training : make_table();
  table.set("checkpoint_minutes", make_value(10.0));
  table.set("checkpoint_keep", make_value("last"));
  config.set("training", std::move(table));
}

}  // namespace v1
}  // namespace harmonium
