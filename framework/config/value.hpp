#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// A parsed configuration. Each node knows where it was written: "run.toml:14:9", "--set a.b=c", or empty for a value
/// made in code. Tables keep the order in which their keys were written.
struct Value {
  using List = std::vector<Value>;
  using Table = std::vector<std::pair<std::string, Value>>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Table> data;
  std::string where;

  bool is_empty() const { return std::holds_alternative<std::monostate>(data); }
  bool is_table() const { return std::holds_alternative<Table>(data); }
  bool is_list() const { return std::holds_alternative<List>(data); }
  bool is_string() const { return std::holds_alternative<std::string>(data); }
  /// The number, whole or not, that this is; nothing where it is none.
  std::optional<double> number() const;
  /// "a table", "an integer", "a number", "a string", "true or false", "a list", "nothing": for messages.
  std::string_view type_name() const;

  /// The entry `key` of a table; null where it is absent or this is no table.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  /// Replaces or appends `key`; turns an empty value into a table.
  Value& set(std::string_view key, Value value);
  void erase(std::string_view key);
};

/// Equal data: neither places nor the order of a table's keys are compared, an integer is no number, and NaN equals
/// NaN, so that what was written and read again compares equal.
bool operator==(const Value& a, const Value& b);

/// Makers for values written in code.
Value make_table(std::initializer_list<std::pair<std::string_view, Value>> entries = {});
Value make_value(bool v);
Value make_value(std::int64_t v);
Value make_value(double v);
Value make_value(std::string v);
inline Value make_value(const char* v) { return make_value(std::string(v)); }

}  // namespace v1
}  // namespace harmonium
