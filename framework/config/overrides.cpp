#include <harmonium/framework/config/overrides.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/config/layer_sizes.hpp>
#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/config/toml_limits.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// A step on the way to a value: a key of a table or an index into a list; and the path up to here, for messages.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
  std::string path;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Reads the key of an assignment from its beginning up to the '='.
class KeyReader {
 public:
  explicit KeyReader(std::string_view assignment) : text_(assignment) {}

  std::vector<Step> read() {
    std::vector<Step> steps;
    do {
      steps.push_back(key());
      while (peek() == '[' && steps.size() <= deepest_toml) steps.push_back(index());
      if (steps.size() > deepest_toml) {
        constexpr std::size_t shown = 60;
        throw ConfigError(fmt::format("--set {}...: the key has more than {} parts. Write one with fewer.",
                                      text_.substr(0, shown), deepest_toml));
      }
    } while (skip('.'));
    if (peek() == '\0') fail("there is no '='");
    if (!skip('=')) fail(odd_part);
    return steps;
  }

  /// What stands behind the '='.
  std::string_view rest() const { return text_.substr(at_); }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(
        fmt::format("--set {}: {}. Write KEY=VALUE, as in sampler.tile=8, observers[0].every=10 or "
                    "\"odd key\".x=1.",
                    text_, problem));
  }

  /// The next character that is no blank; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool skip(char c) {
    if (at_ == text_.size() || peek() != c) return false;
    ++at_;
    return true;
  }

  Step step(std::string key, std::optional<std::size_t> index) const {
    return {std::move(key), index, std::string(trimmed(text_.substr(0, at_)))};
  }

  Step key() {
    const char first = peek();
    if (first == '"' || first == '\'') return step(quoted_part(first), std::nullopt);
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (at_ == begin) {
      const bool ends = at_ == text_.size() || first == '.' || first == '=' || first == '[';
      fail(ends ? "a part of the key is empty" : odd_part);
    }
    return step(std::string(text_.substr(begin, at_ - begin)), std::nullopt);
  }

  std::string quoted_part(char quote) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote) at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) fail("a quote in the key is not closed");
    ++at_;
    try {
      const Value parsed = parse_toml(fmt::format("k = {}", text_.substr(begin, at_ - begin)), "");
      return std::get<std::string>(parsed.find("k")->data);
    } catch (const ConfigError&) {
      fail("a quoted part of the key is no TOML string");
    }
  }

  Step index() {
    skip('[');
    peek();
    std::size_t value = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) fail("an index is a whole number from 0");
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (!skip(']')) fail("an index is a whole number from 0, closed by ']'");
    return step({}, value);
  }

  static constexpr const char* odd_part = "a part with other characters than letters, digits, '_' and '-' needs quotes";
  std::string_view text_;
  std::size_t at_ = 0;
};

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
Value* present(Value& node, const Step& step) {
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
Value& advance(Value& node, const Step& step, const std::string& path, const std::string& place) {
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
std::optional<Replaced> replace_alternatives(Value& config, const std::vector<Step>& steps, const std::string& place) {
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
void take_back(Value& config, const std::vector<Step>& steps, const std::string& place) {
  Value* node = &config;
  for (std::size_t i = 0; i + 1 < steps.size() && node; ++i) node = present(*node, steps[i]);
  const Step& last = steps.back();
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
  KeyReader reader(assignment);
  const std::vector<Step> steps = reader.read();
  const std::string place = written.empty() ? fmt::format("--set {}", assignment) : written;
  const std::string_view text = trimmed(reader.rest());
  if (text.empty()) {
    take_back(config, steps, place);
    return {};
  }
  Value value = toml_value(text).value_or(make_value(std::string(text)));
  set_place(value, place);

  Value changed = config;
  Value* node = &changed;
  std::string path = "the configuration";
  for (const Step& step : steps) {
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
