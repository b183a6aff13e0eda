#include <harmonium/framework/config/spelled_out.hpp>

#include <string>
#include <utility>

namespace harmonium {
inline namespace v1 {

Value spelled_out(Value value, std::string_view key) {
  if (!value.is_string()) return value;
  Value table = make_table();
  table.where = value.where;
  table.set(std::string(key), std::move(value));
  return table;
}

}  // namespace v1
}  // namespace harmonium
