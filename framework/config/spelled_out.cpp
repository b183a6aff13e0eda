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

std::vector<std::string> words_in(const Value* list) {
  std::vector<std::string> words;
  if (list && list->is_string()) words.push_back(std::get<std::string>(list->data));
  if (list && list->is_list())
    for (const Value& word : std::get<Value::List>(list->data))
      if (word.is_string()) words.push_back(std::get<std::string>(word.data));
  return words;
}

}  // namespace v1
}  // namespace harmonium
