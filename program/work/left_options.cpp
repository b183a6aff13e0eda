#include <harmonium/program/work/left_options.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Sections that are components of the kind of that name.
constexpr std::array component_sections{"data", "model", "estimator", "optimizer", "initializer"};

bool from_command_line(const Value& value) { return value.where.starts_with("--set"); }

/// The names of a component's options; nothing where there is no such component.
std::optional<std::vector<std::string>> options_of(const Registries& registries, const char* kind,
                                                   const std::string& name) {
  for (const ComponentInfo& c : registries.components()) {
    if (c.kind != kind || c.name != name) continue;
    std::vector<std::string> names;
    for (const OptionInfo& o : c.options) names.push_back(o.name.substr(0, o.name.find_first_of(".[")));
    return names;
  }
  return {};
}

}  // namespace

Value without_left_options(Value config, const Registries& registries, Display* display) {
  for (const char* const section : component_sections) {
    Value* table = config.find(section);
    const Value* type = table && table->is_table() ? table->find("type") : nullptr;
    if (!type || !type->is_string() || !from_command_line(*type)) continue;
    const std::string name = std::get<std::string>(type->data);
    const auto known = options_of(registries, section, name);
    if (!known) continue;  // making it will say so
    std::vector<std::string> left;
    for (const auto& [key, value] : std::get<Value::Table>(table->data))
      if (key != "type" && !from_command_line(value) && std::ranges::find(*known, key) == known->end())
        left.push_back(key);
    for (const std::string& key : left) {
      if (display)
        display->warn(fmt::format("--set {0}.type={1}: '{2}' ({3}) is no option of '{1}', and is left out.", section,
                                  name, key, table->find(key)->where));
      table->erase(key);
    }
  }
  return config;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
