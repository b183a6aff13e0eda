#include <harmonium/program/work/model_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

#include <harmonium/framework/config/toml.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool is_whole(const Value& value) {
  constexpr double most = 9007199254740992.0;  // 2^53, from which on not every integer is a double
  const auto* number = std::get_if<double>(&value.data);
  return number && *number == std::trunc(*number) && std::abs(*number) < most;
}

/// Lists of numbers are kept as doubles, the lengths of a lattice too. Who reads the text elsewhere wants integers.
void write_whole_lists(Value& value) {
  if (auto* table = std::get_if<Value::Table>(&value.data)) {
    for (auto& entry : *table) write_whole_lists(entry.second);
  } else if (auto* list = std::get_if<Value::List>(&value.data)) {
    const bool whole = std::ranges::all_of(*list, is_whole);
    for (Value& item : *list) {
      if (whole) item = make_value(static_cast<std::int64_t>(std::get<double>(item.data)));
      else write_whole_lists(item);
    }
  }
}

}  // namespace

std::string model_text(const Value& config) {
  Value described = make_table();
  for (const char* key : {"precision", "plugins", "model"})
    if (const Value* value = config.find(key)) described.set(key, *value);
  described.find("model")->erase("masks");  // files that may be gone: tables have the masks
  write_whole_lists(described);
  return write_toml(described);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
