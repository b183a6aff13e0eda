#include <harmonium/framework/config/value.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium {
inline namespace v1 {

std::string_view Value::type_name() const {
  struct Namer {
    std::string_view operator()(std::monostate) const { return "nothing"; }
    std::string_view operator()(bool) const { return "true or false"; }
    std::string_view operator()(std::int64_t) const { return "an integer"; }
    std::string_view operator()(double) const { return "a number"; }
    std::string_view operator()(const std::string&) const { return "a string"; }
    std::string_view operator()(const List&) const { return "a list"; }
    std::string_view operator()(const Table&) const { return "a table"; }
  };
  return std::visit(Namer{}, data);
}

const Value* Value::find(std::string_view key) const {
  const Table* table = std::get_if<Table>(&data);
  if (table == nullptr) return nullptr;
  const auto entry = std::find_if(table->begin(), table->end(), [&](const auto& e) { return e.first == key; });
  return entry == table->end() ? nullptr : &entry->second;
}

Value* Value::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

Value& Value::set(std::string_view key, Value value) {
  if (!is_table()) data = Table{};
  if (Value* present = find(key)) return *present = std::move(value);
  return std::get<Table>(data).emplace_back(std::string(key), std::move(value)).second;
}

void Value::erase(std::string_view key) {
  if (Table* table = std::get_if<Table>(&data)) std::erase_if(*table, [&](const auto& e) { return e.first == key; });
}

bool operator==(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  if (const double* x = std::get_if<double>(&a.data)) {
    const double y = std::get<double>(b.data);
    return *x == y || (std::isnan(*x) && std::isnan(y));
  }
  if (const Value::Table* table = std::get_if<Value::Table>(&a.data)) {
    if (table->size() != std::get<Value::Table>(b.data).size()) return false;
    return std::all_of(table->begin(), table->end(), [&](const auto& entry) {
      const Value* other = b.find(entry.first);
      return other != nullptr && entry.second == *other;
    });
  }
  if (a.is_list()) return std::get<Value::List>(a.data) == std::get<Value::List>(b.data);
  if (a.is_string()) return std::get<std::string>(a.data) == std::get<std::string>(b.data);
  if (const std::int64_t* x = std::get_if<std::int64_t>(&a.data)) return *x == std::get<std::int64_t>(b.data);
  if (const bool* x = std::get_if<bool>(&a.data)) return *x == std::get<bool>(b.data);
  return true;
}

std::optional<double> Value::number() const {
  if (const double* real = std::get_if<double>(&data)) return *real;
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&data)) return static_cast<double>(*whole);
  return std::nullopt;
}

Value make_table(std::initializer_list<std::pair<std::string_view, Value>> entries) {
  Value table;
  table.data = Value::Table{};
  for (const auto& [key, value] : entries) table.set(key, value);
  return table;
}

namespace {

template <class T>
Value holding(T data) {
  Value value;
  value.data = std::move(data);
  return value;
}

}  // namespace

Value make_value(bool v) { return holding(v); }
Value make_value(std::int64_t v) { return holding(v); }
Value make_value(double v) { return holding(v); }
Value make_value(std::string v) { return holding(std::move(v)); }

}  // namespace v1
}  // namespace harmonium
