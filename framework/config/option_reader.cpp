#include <stdexcept>

#include <fmt/format.h>

#include <harmonium/framework/config/number_of_units.hpp>
#include <harmonium/framework/config/value_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Groups, lists of tables and components, beside what ValueReader reads.
class Reader final : public ValueReader {
 public:
  Reader(const Value& given, std::string_view who, std::string prefix, const ComponentMaker* components)
      : ValueReader(given, who, std::move(prefix)), components_(components) {}

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
