#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/given_options.hpp>
#include <harmonium/framework/config/number_of_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

class Reader final : public GivenOptions {
 public:
  Reader(const Value& given, std::string_view who, std::string prefix, const ComponentMaker* components)
      : GivenOptions(given, who, std::move(prefix)), components_(components) {}

  /// To be called once everything has been visited.
  Value finish() && {
    refuse_unknown();
    // Only now: a component is most often missing because its name is misspelt.
    if (!missing_.empty()) throw ConfigError(in_front(given_.where, who_) + missing_);
    for (const auto& validate : checks_) {
      try {
        validate();
      } catch (const ConfigError& e) {
        const std::string path = prefix_.substr(0, prefix_.size() - 1);
        throw ConfigError(fmt::format("{}option '{}': {}", in_front(given_.where, who_), path, e.what()));
      }
    }
    return std::move(effective_);
  }

 private:
  void visit(std::string_view name, bool& value, std::string_view) override {
    const Value* at = look_up(name);
    if (at != nullptr) {
      const bool* flag = std::get_if<bool>(&at->data);
      if (flag == nullptr) mistyped(name, *at, "true or false");
      value = *flag;
    }
    keep(name, at, make_value(value));
  }

  void visit(std::string_view name, std::int64_t& value, std::string_view, const std::optional<Limit>& limit,
             bool is_unsigned) override {
    const Value* at = look_up(name);
    if (at != nullptr) {
      const std::int64_t* integer = std::get_if<std::int64_t>(&at->data);
      if (integer == nullptr) mistyped(name, *at, "an integer", whole_hint(*at));
      if (limit && !limit->holds(static_cast<double>(*integer))) not_allowed(name, *at, limit->words);
      if (is_unsigned && *integer < 0) not_allowed(name, *at, at_least(0).words);
      value = *integer;
    }
    keep(name, at, is_absent() ? Value{} : integer_value(name, value, is_unsigned));
  }

  static std::string whole_hint(const Value& at) {
    const double* number = std::get_if<double>(&at.data);
    if (number == nullptr || std::abs(*number) > 1e15 || *number != std::trunc(*number)) return "";
    return fmt::format(" (write {:.0f}, not {:.1f})", *number, *number);
  }

  void visit(std::string_view name, double& value, std::string_view, const std::optional<Limit>& limit) override {
    const Value* at = look_up(name);
    if (at != nullptr) {
      const std::optional<double> number = at->number();
      if (!number) mistyped(name, *at, "a number");
      if (!std::isfinite(*number)) not_allowed(name, *at, finite().words);
      if (limit && !limit->holds(*number)) not_allowed(name, *at, limit->words);
      value = *number;
    }
    keep(name, at, make_value(value));
  }

  void visit(std::string_view name, std::string& value, std::string_view) override {
    const Value* at = look_up(name);
    if (at != nullptr) {
      if (!at->is_string()) mistyped(name, *at, "a string");
      value = std::get<std::string>(at->data);
    }
    keep(name, at, make_value(value));
  }

  /// Reads each element by `take`, which returns whether it is what was wanted.
  template <class Take>
  void read_elements(std::string_view name, const Value& at, std::string_view list, std::string_view element,
                     const Take& take) const {
    const auto* items = std::get_if<Value::List>(&at.data);
    if (items == nullptr) mistyped(name, at, list);
    for (std::size_t i = 0; i < items->size(); ++i) {
      const Value& item = (*items)[i];
      if (take(item)) continue;
      fail(item.where.empty() ? at : item, fmt::format("option '{}{}': element {} must be {}, not {}.", prefix_, name,
                                                       i + 1, element, described(item)));
    }
  }

  static std::string described(const Value& item) {
    const double* number = std::get_if<double>(&item.data);
    return number != nullptr && !std::isfinite(*number) ? fmt::format("{}", *number) : std::string(item.type_name());
  }

  void visit(std::string_view name, std::vector<double>& value, std::string_view) override {
    const Value* at = look_up(name);
    if (const std::optional<double> lone = at != nullptr ? at->number() : std::nullopt) {
      if (!std::isfinite(*lone)) not_allowed(name, *at, finite().words);
      value = {*lone};  // one without the brackets of a list
      return keep(name, at, make_value(*lone));
    }
    if (at != nullptr) {
      value.clear();
      read_elements(name, *at, "a list of numbers", "a finite number", [&](const Value& item) {
        const std::optional<double> number = item.number();
        if (number && std::isfinite(*number)) value.push_back(*number);
        return number && std::isfinite(*number);
      });
    }
    keep(name, at, list_value(value));
  }

  /// A string, or what integers are in one: [0, 1] is "0 1".
  static std::optional<std::string> text_of(const Value& item) {
    if (item.is_string()) return std::get<std::string>(item.data);
    const auto* numbers = std::get_if<Value::List>(&item.data);
    if (numbers == nullptr || numbers->empty()) return {};
    std::string text;
    for (const Value& number : *numbers) {
      const auto* integer = std::get_if<std::int64_t>(&number.data);
      if (integer == nullptr) return {};
      text += fmt::format("{}{}", text.empty() ? "" : " ", *integer);
    }
    return text;
  }

  void visit(std::string_view name, std::vector<std::string>& value, std::string_view) override {
    const Value* at = look_up(name);
    if (at != nullptr) {
      value.clear();
      if (at->is_string()) value.push_back(std::get<std::string>(at->data));  // one without the brackets of a list
      else
        read_elements(name, *at, "a list of strings", "a string", [&](const Value& item) {
          std::optional<std::string> text = text_of(item);
          if (text) value.push_back(std::move(*text));
          return text.has_value();
        });
    }
    keep(name, at, list_value(value));
  }

  void visit_choice(std::string_view name, std::size_t& chosen, const std::vector<std::string_view>& names,
                    std::string_view) override {
    const Value* at = look_up(name);
    if (at != nullptr) {
      // Without quotation marks the word "nan" is a number.
      const auto* number = std::get_if<double>(&at->data);
      const bool nan = number && std::isnan(*number) && std::find(names.begin(), names.end(), "nan") != names.end();
      if (!at->is_string() && !nan) mistyped(name, *at, fmt::format("one of: {}", fmt::join(names, ", ")));
      const std::string word = nan ? "nan" : std::get<std::string>(at->data);
      const auto found = std::find(names.begin(), names.end(), word);
      if (found == names.end())
        fail(*at, fmt::format("option '{}{}' = '{}' is not known{}. Known: {}.", prefix_, name, word,
                              did_you_mean(word, {names.begin(), names.end()}), fmt::join(names, ", ")));
      chosen = static_cast<std::size_t>(found - names.begin());
    }
    keep(name, at, make_value(std::string(names[chosen])));
  }

  void when_read(std::function<void()> validate) override { checks_.push_back(std::move(validate)); }

  Value read_inner(const Value& table, std::string prefix, const std::function<void(OptionBinder&)>& bind) const {
    Reader inner(table, who_, std::move(prefix), components_);
    bind(inner);
    return std::move(inner).finish();
  }

  /// A table with no entries, placed where this one is.
  Value nothing_given() const {
    Value table = make_table();
    table.where = given_.where;
    return table;
  }

  void visit_group(std::string_view name, std::string_view, const std::function<void(OptionBinder&)>& bind) override {
    const Value* at = look_up(name);
    if (at != nullptr && !at->is_table()) mistyped(name, *at, "a table");
    effective_.set(name, read_inner(at != nullptr ? *at : nothing_given(), fmt::format("{}{}.", prefix_, name), bind));
  }

  void visit_list(std::string_view name, std::string_view, std::size_t size,
                  const std::function<void(std::size_t)>& resize,
                  const std::function<void(std::size_t, OptionBinder&)>& bind) override {
    const Value* at = look_up(name);
    const Value::List* items = nullptr;
    if (at != nullptr) {
      items = &list_at(name, *at);
      // What is given replaces the items there were; it does not start from their values.
      resize(0);
      resize(items->size());
      size = items->size();
    }
    Value effective;
    effective.data = Value::List{};
    for (std::size_t i = 0; i < size; ++i) {
      const Value item = items != nullptr ? (*items)[i] : nothing_given();
      if (!item.is_table())
        fail(item.where.empty() ? *at : item,
             fmt::format("option '{}{}': element {} must be a table, not {}.", prefix_, name, i + 1, item.type_name()));
      std::get<Value::List>(effective.data)
          .push_back(read_inner(item, fmt::format("{}{}[{}].", prefix_, name, i),
                                [&](OptionBinder& binder) { bind(i, binder); }));
    }
    keep(name, at, std::move(effective));
  }

  void visit_component(std::string_view name, std::string_view kind, std::string_view, std::string_view fallback,
                       const std::function<void(void*)>& take) override {
    if (components_ == nullptr)
      throw std::logic_error(fmt::format("component '{}' is read, but nothing is given to make it with", name));
    const Value* at = look_up(name);
    if (at == nullptr && fallback.empty()) {
      if (missing_.empty())
        missing_ = fmt::format("component '{}{}' is missing: give a table '{}' with a 'type'.", prefix_, name, name);
      return;
    }
    const Value spec = component_spec(name, at, fallback);
    Value effective;
    take(components_->make_component(kind, spec, effective));
    effective_.set(name, std::move(effective));
  }

  void visit_components(std::string_view name, std::string_view kind, std::string_view,
                        const std::function<void(void*)>& take) override {
    const Value* at = look_up(name);
    Value effective;
    Value::List& made = effective.data.emplace<Value::List>();
    if (at != nullptr) {
      const Value::List& items = list_at(name, *at);
      for (std::size_t i = 0; i < items.size(); ++i) {
        const Value spec = component_spec(fmt::format("{}[{}]", name, i), &items[i], "");
        take(components_->make_component(kind, spec, made.emplace_back()));
      }
    }
    keep(name, at, std::move(effective));
  }

  const Value::List& list_at(std::string_view name, const Value& at) const {
    const auto* items = std::get_if<Value::List>(&at.data);
    if (items == nullptr)
      mistyped(name, at, "a list of tables", at.is_table() ? fmt::format(" (write [[{}]])", name) : "");
    return *items;
  }

  Value component_spec(std::string_view name, const Value* at, std::string_view fallback) const {
    Value spec = make_table();
    spec.where = at != nullptr && !at->where.empty() ? at->where : given_.where;
    const auto set_type = [&](std::string type) { spec.set("type", make_value(std::move(type))).where = spec.where; };
    if (at == nullptr) {
      set_type(std::string(fallback));
    } else if (at->is_string()) {
      set_type(std::get<std::string>(at->data));
    } else if (const auto* entries = std::get_if<Value::Table>(&at->data)) {
      if (at->find("type") == nullptr && !fallback.empty()) set_type(std::string(fallback));
      for (const auto& [key, value] : *entries) spec.set(key, value);
    } else {
      const std::string such_as = fallback.empty() ? "" : fmt::format(" such as '{}'", fallback);
      fail(*at, fmt::format("component '{}{}' must be a table with a 'type', or the name of a type{}, not {}.{}",
                            prefix_, name, such_as, at->type_name(), at->number() ? number_of_units(name) : ""));
    }
    return spec;
  }

  const ComponentMaker* components_;
  std::string missing_;
  std::vector<std::function<void()>> checks_;
};

}  // namespace

Value read_options(const Value& given, std::string_view who, const ComponentMaker* components,
                   const std::function<void(OptionBinder&)>& bind) {
  if (!given.is_table() && !std::holds_alternative<std::monostate>(given.data))
    throw ConfigError(in_front(given.where, who) + fmt::format("must be a table, not {}.", given.type_name()));
  Reader reader(given, who, "", components);
  bind(reader);
  return std::move(reader).finish();
}

void check_options(const Value& given, std::string_view who, const std::function<void()>& validate) {
  try {
    validate();
  } catch (const ConfigError& e) {
    throw ConfigError(in_front(given.where, who) + e.what());
  }
}

}  // namespace v1
}  // namespace harmonium
