#include <harmonium/program/work/left_options.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/run/sections.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether a value was set over a configuration: by the command line, or by the file of a sweep or a stack, "FILE:LINE: KEY = VALUE".
bool set_over(const Value& value, std::string_view section) {
  return value.where.starts_with("--set") || value.where.find(fmt::format(": {}.", section)) != std::string::npos;
}

/// Whether `key` is an option of these names, or the group or list that holds one: "ladder" of "ladder.rungs".
bool knows(const std::vector<std::string>& names, const std::string& key) {
  return std::ranges::any_of(names, [&](const std::string& n) { return n.substr(0, n.find_first_of(".[")) == key; });
}

}  // namespace

Value without_left_options(Value config, const Registries& registries, std::vector<std::string>& remarks) {
  for (const char* const section : component_sections) {
    Value* table = config.find(section);
    const Value* type = table && table->is_table() ? table->find("type") : nullptr;
    if (!type || !type->is_string() || !set_over(*type, section)) continue;
    const std::string name = std::get<std::string>(type->data);
    const auto known = option_names(registries, section, name);
    if (!known) continue;  // making it will say so
    std::vector<std::string> left;
    for (const auto& [key, value] : std::get<Value::Table>(table->data))
      if (key != "type" && !set_over(value, section) && !knows(*known, key)) left.push_back(key);
    for (const std::string& key : left) {
      remarks.push_back(fmt::format("{}: '{}' ({}) is no option of '{}', and is left out.", type->where, key,
                                    table->find(key)->where, name));
      table->erase(key);
    }
  }
  return config;
}

Value without_left_options(Value config, const Registries& registries, Display* display) {
  std::vector<std::string> remarks;
  config = without_left_options(std::move(config), registries, remarks);
  for (const std::string& remark : remarks)
    if (display) display->warn(remark);
  return config;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
