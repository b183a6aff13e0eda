#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// Dotted keys, as --set has them, and what they are set to, in order.
using Settings = std::vector<std::pair<std::string, Value>>;

/// visit(key, value) for what a table sets: `"model.num_hidden" = …`, or the same as tables within one another, as far as
/// `is_leaf` says.
template <class IsLeaf, class Visit>
void for_each_key(const Value& table, const std::string& begin, const IsLeaf& is_leaf, const Visit& visit) {
  for (const auto& [key, value] : std::get<Value::Table>(table.data)) {
    const std::string path = begin.empty() ? key : begin + "." + key;
    if (value.is_table() && !is_leaf(value)) for_each_key(value, path, is_leaf, visit);
    else visit(path, value);
  }
}

/// Tables of components are values, and others lead to what they hold.
inline bool is_component(const Value& value) { return value.find("type") != nullptr; }

/// What a table of settings sets.
Settings settings_of(const Value& table);
/// Sets them in `config`. Throws ConfigError, with the place, where a key leads nowhere.
void apply_settings(const Settings& settings, Value& config);

/// Where nobody says anything of checkpoints there is one every ten minutes, and the last stays.
void set_default_checkpoints(Value& config);

}  // namespace v1
}  // namespace harmonium
