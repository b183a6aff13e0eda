#include <harmonium/program/setting_words.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/config/toml.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t longest_value = 40;

/// The end of what is too long, which tells paths apart.
std::string shortened(const std::string& text) {
  return text.size() <= longest_value ? text : "..." + text.substr(text.size() - longest_value + 3);
}

std::string whole_text(const Value& value) {
  return printable(value.is_string() ? std::get<std::string>(value.data) : write_toml_value(value));
}

/// With what is said of some values beside them.
std::string explained(const std::string& path, const std::string& text) {
  if (path == "estimator.negative.num_chains" && text == "0") return "0 (as the batch)";
  if (path != "estimator.negative.start") return text;
  for (const auto& [start, name] : {std::pair{"data", "cd"}, {"persistent", "pcd"}})
    if (text == start) return fmt::format("{} ({})", text, name);
  return text;
}

/// A table by its type and its other entries, those of tables in it by dotted keys; a text is that of a type alone.
struct OpenedTable {
  std::string type;
  std::vector<std::pair<std::string, const Value*>> entries = {};

  const Value* find(const std::string& key) const {
    const auto found = std::ranges::find(entries, key, &std::pair<std::string, const Value*>::first);
    return found == entries.end() ? nullptr : found->second;
  }
  void add(const std::string& begin, const Value::Table& table) {
    for (const auto& [key, value] : table) {
      if (value.is_table()) add(begin + key + ".", std::get<Value::Table>(value.data));
      else if (begin.empty() && key == "type" && value.is_string()) type = std::get<std::string>(value.data);
      else entries.emplace_back(begin + key, &value);
    }
  }
};

OpenedTable opened(const Value& value) {
  OpenedTable table;
  if (value.is_string()) table.type = std::get<std::string>(value.data);
  if (value.is_table()) table.add("", std::get<Value::Table>(value.data));
  return table;
}

/// Whether two tables that have the key differ in it, or one of two of the same type lacks it.
bool differs(const std::string& key, const std::vector<OpenedTable>& tables) {
  for (const OpenedTable& a : tables)
    for (const OpenedTable& b : tables) {
      const Value *in_a = a.find(key), *in_b = b.find(key);
      if (in_a && in_b ? !(*in_a == *in_b) : in_a != in_b && a.type == b.type) return true;
    }
  return false;
}

/// By what differs between the tables, of which some may be texts; empty where a value is neither.
Texts texts_of_tables(const std::vector<const Value*>& values) {
  std::vector<OpenedTable> tables;
  for (const Value* value : values) {
    if (value && !value->is_table() && !value->is_string()) return {};
    tables.push_back(value ? opened(*value) : OpenedTable{"-"});
  }
  std::map<std::string, bool> known;  // by keys
  const auto told = [&](const std::string& key) {
    const auto found = known.find(key);
    return found != known.end() ? found->second : known.emplace(key, differs(key, tables)).first->second;
  };
  Texts texts;
  for (const OpenedTable& table : tables) {
    std::string text = table.type;
    for (const auto& [key, entry] : table.entries)
      if (told(key)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, whole_text(*entry));
    texts.push_back(printable(text));
  }
  return texts;
}

bool all_unlike(const Texts& texts) { return std::set<std::string>(texts.begin(), texts.end()).size() == texts.size(); }

/// Of values that all differ.
Texts texts_of(const std::string& path, const std::vector<const Value*>& values) {
  Texts texts;
  if (std::ranges::any_of(values, [](const Value* value) { return value && value->is_table(); }))
    texts = texts_of_tables(values);
  if (texts.empty() || !all_unlike(texts)) {
    texts.clear();
    for (const Value* value : values) texts.push_back(value ? explained(path, whole_text(*value)) : "-");
  }
  Texts cut;
  for (const std::string& text : texts) cut.push_back(shortened(text));
  return all_unlike(cut) ? cut : texts;
}

}  // namespace

std::string value_text(const Value* value) { return value ? shortened(whole_text(*value)) : "-"; }

std::vector<std::string> setting_texts(const DifferingSetting& setting) {
  std::vector<const Value*> unlike;
  std::vector<std::size_t> places;
  for (const Value* value : setting.values) {
    const auto found = std::ranges::find_if(
        unlike, [&](const Value* other) { return !value || !other ? value == other : *value == *other; });
    places.push_back(static_cast<std::size_t>(found - unlike.begin()));
    if (found == unlike.end()) unlike.push_back(value);
  }
  const Texts told = texts_of(setting.path, unlike);
  Texts texts;
  for (const std::size_t place : places) texts.push_back(told[place]);
  return texts;
}

}  // namespace v1
}  // namespace harmonium
