#include <harmonium/framework/config/overrides.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/config/layer_sizes.hpp>
#include <harmonium/framework/config/override_key.hpp>
#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The one value that `text` is as TOML, if it is one.
std::optional<Value> toml_value(std::string_view text) {
  try {
    const Value table = parse_toml(fmt::format("v = {}", text), "");
    // A comment would end the list before it is closed: '#' belongs to the value, a string then.
    const Value list = parse_toml(fmt::format("v = [{}]", text), "");
    if (std::get<Value::Table>(table.data).size() != 1 || std::get<Value::Table>(list.data).size() != 1) return {};
    return *table.find("v");
  } catch (const ConfigError&) {
    return {};
  }
}

void set_place(Value& value, const std::string& place) {
  value.where = place;
  if (auto* table = std::get_if<Value::Table>(&value.data))
    for (auto& entry : *table) set_place(entry.second, place);
  if (auto* list = std::get_if<Value::List>(&value.data))
    for (Value& item : *list) set_place(item, place);
}

/// The place that `step` leads to from `node`; null where it is missing.
Value* present(Value& node, const KeyStep& step) {
  if (!step.index) return node.is_table() ? node.find(step.key) : nullptr;
  auto* list = std::get_if<Value::List>(&node.data);
  return list && *step.index < list->size() ? &(*list)[*step.index] : nullptr;
}

/// Tables for which a name may stand, and the option of theirs that it is then.
struct NamedTable {
  std::string_view path, option;
};
constexpr NamedTable named_tables[] = {
    {"training.stop_early", "metric"}, {"training.keep_best", "metric"}, {"start_from", "path"}};

/// The option that a name in place of the table at `path` is: of all others it is the type.
std::string_view option_of_name(std::string_view path) {
  const auto* named = std::ranges::find(named_tables, path, &NamedTable::path);
  return named == std::end(named_tables) ? "type" : named->option;
}

/// The index that a key in place of one means: that of `layers.1`, or 0.
std::string element_of(const std::string& key) {
  const bool number = !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
  return number ? key : "0";
}

/// The place that `step` leads to from `node`, made where it is missing. `path` leads to `node`.
Value& advance(Value& node, const KeyStep& step, const std::string& path, const std::string& place) {
  const auto fail = [&](const std::string& problem) { throw ConfigError(fmt::format("{}: {}.", place, problem)); };
  const std::string_view type = node.type_name();
  const std::string written = node.where.empty() || node.where == place ? "" : fmt::format(" ({})", node.where);
  if (!step.index) {
    if (node.is_empty()) node.data = Value::Table{}, node.where = place;
    node = spelled_out(std::move(node), option_of_name(path));
    if (!node.is_table())
      fail(fmt::format("'{}' is {}, not a table{}, so it has no '{}'. {}", path, type, written, step.key,
                       node.is_list() ? fmt::format("Name an element, as in {}[{}]", path, element_of(step.key))
                                      : fmt::format("Set '{}' to a table first", path)));
    Value* present = node.find(step.key);
    return present != nullptr ? *present : node.set(step.key, Value{});
  }
  if (node.is_empty()) node.data = Value::List{}, node.where = place;
  auto* list = std::get_if<Value::List>(&node.data);
  if (list == nullptr) fail(fmt::format("'{}' is {}, not a list{}, so it has no elements", path, type, written));
  if (*step.index > list->size())
    fail(fmt::format("'{}' has {} element{}{}, so the index may be {}, not {}", path, list->size(),
                     list->size() == 1 ? "" : "s", written,
                     list->empty() ? "0" : fmt::format("from 0 to {}, where {} appends", list->size(), list->size()),
                     *step.index));
  if (*step.index == list->size()) list->emplace_back();
  return (*list)[*step.index];
}

/// Pairs of settings of which only one can be meant, by their table and names.
struct Alternatives {
  const char* table;
  const char* one;
  const char* other;
};
constexpr Alternatives alternatives[] = {{"training", "num_epochs", "num_updates"},
                                         {"data", "validation", "validation_path"},
                                         {"data", "test", "test_path"},
                                         {"data", "reweight", "weights"}};

/// What is set takes the place of what a file, or a proposal, has in its stead; returns what that was.
std::optional<Replaced> replace_alternatives(Value& config, const std::vector<KeyStep>& steps,
                                             const std::string& place) {
  if (steps.size() != 2) return {};
  Value* table = config.find(steps[0].key);
  std::optional<Replaced> replaced;
  const auto drop = [&](const char* name) {
    const Value* present = table->find(name);
    if (!present) return;
    // Two of the command line are a contradiction.
    if (present->where.starts_with("--") && place.starts_with("--")) return;
    replaced = {steps[0].key, name, *present};
    table->erase(name);
  };
  for (const Alternatives& pair : alternatives) {
    if (steps[0].key != pair.table) continue;
    if (steps[1].key == pair.one) drop(pair.other);
    if (steps[1].key == pair.other) drop(pair.one);
  }
  return replaced;
}

/// Removes what a file, or an earlier --set, has said, so that the default holds.
void take_back(Value& config, const std::vector<KeyStep>& steps, const std::string& place) {
  Value* node = &config;
  for (std::size_t i = 0; i + 1 < steps.size() && node; ++i) node = present(*node, steps[i]);
  const KeyStep& last = steps.back();
  if (!node || !present(*node, last))
    throw ConfigError(
        fmt::format("{}: '{}' is not set, so there is nothing to take back. An empty text is written {}'\"\"'.", place,
                    last.path, place));
  if (last.index) {
    auto& list = std::get<Value::List>(node->data);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(*last.index));
  } else {
    node->erase(last.key);
  }
}

}  // namespace

std::optional<Replaced> apply_override(Value& config, std::string_view assignment, const std::string& written) {
  const auto [steps, text] = read_assignment(assignment);
  const std::string place = written.empty() ? fmt::format("--set {}", assignment) : written;
  if (text.empty()) {
    take_back(config, steps, place);
    return {};
  }
  Value value = toml_value(text).value_or(make_value(std::string(text)));
  set_place(value, place);

  Value changed = config;
  Value* node = &changed;
  std::string path = "the configuration";
  for (const KeyStep& step : steps) {
    node = &advance(*node, step, path, place);
    path = step.path;
  }
  // A name for a section's table says what type it is, and leaves the rest as section.type=NAME does.
  const bool typed =
      steps.size() == 1 && place.starts_with("--set") && value.is_string() && node->is_table() && node->find("type");
  (typed ? *node->find("type") : *node) = std::move(value);
  if (steps.size() == 2 && steps[0].key == "model") move_size_to_layer(*changed.find("model"), steps[1].key);
  std::optional<Replaced> replaced = replace_alternatives(changed, steps, place);
  config = std::move(changed);
  return replaced;
}

}  // namespace v1
}  // namespace harmonium
