#include <harmonium/framework/config/options.hpp>

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/config/named_binder.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

OptionBinder::~OptionBinder() = default;
ComponentMaker::~ComponentMaker() = default;

void OptionBinder::refuse(std::string_view name, const std::string& words) {
  throw ConfigError(fmt::format("option '{}' must be {}.", name, words));
}

// An overriding reader keeps it.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void OptionBinder::when_read(std::function<void()>) {}

double OptionBinder::widened(float value) {
  char digits[32];
  const auto written = std::to_chars(std::begin(digits), std::end(digits), value);
  double wide = static_cast<double>(value);
  std::from_chars(digits, written.ptr, wide);
  return wide;
}

Limit at_least(double low) {
  return {fmt::format("at least {}", low), [low](double v) { return v >= low; }};
}

Limit more_than(double low) {
  return {fmt::format("more than {}", low), [low](double v) { return v > low; }};
}

Limit within(double low, double high) {
  return {fmt::format("from {} to {}", low, high), [low, high](double v) { return v >= low && v <= high; }};
}

Limit finite() {
  return {"a finite number", [](double v) { return std::isfinite(v); }};
}

namespace {

class Describer final : public NamedBinder {
 public:
  Describer(std::string prefix, std::vector<OptionInfo>& infos) : prefix_(std::move(prefix)), infos_(infos) {}

 private:
  void add(std::string_view name, std::string type, const Value& fallback, std::string_view help,
           const std::optional<Limit>& limit = {}) {
    add(name, std::move(type), is_absent() ? "none" : write_toml_value(fallback), help, limit ? limit->words : "");
  }
  void add(std::string_view name, std::string type, std::string fallback, std::string_view help, std::string limit) {
    declare(name);
    infos_.push_back(
        {prefix_ + std::string(name), std::move(type), std::move(fallback), std::move(limit), std::string(help)});
  }

  void visit(std::string_view name, bool& value, std::string_view help) override {
    add(name, "true or false", make_value(value), help);
  }
  void visit(std::string_view name, std::int64_t& value, std::string_view help, const std::optional<Limit>& limit,
             bool is_unsigned) override {
    const Value fallback = integer_value(name, value, is_unsigned);
    add(name, "integer", fallback, help, limit || !is_unsigned ? limit : at_least(0));
  }
  void visit(std::string_view name, double& value, std::string_view help, const std::optional<Limit>& limit) override {
    add(name, "number", make_value(value), help, limit);
  }
  void visit(std::string_view name, std::string& value, std::string_view help) override {
    add(name, "string", make_value(value), help);
  }
  void visit(std::string_view name, std::vector<double>& value, std::string_view help) override {
    add(name, "list of numbers", list_value(value), help);
  }
  void visit(std::string_view name, std::vector<std::string>& value, std::string_view help) override {
    add(name, "list of strings", list_value(value), help);
  }
  void visit_choice(std::string_view name, std::size_t& chosen, const std::vector<std::string_view>& names,
                    std::string_view help) override {
    add(name, fmt::format("one of: {}", fmt::join(names, ", ")), make_value(std::string(names[chosen])), help);
  }
  void visit_group(std::string_view name, std::string_view, const std::function<void(OptionBinder&)>& bind) override {
    declare(name);
    Describer inner(fmt::format("{}{}.", prefix_, name), infos_);
    bind(inner);
  }
  void visit_list(std::string_view name, std::string_view, std::size_t size, const std::function<void(std::size_t)>&,
                  const std::function<void(std::size_t, OptionBinder&)>& bind) override {
    declare(name);
    Describer inner(fmt::format("{}{}[].", prefix_, name), infos_);
    // One past the last is a new item, with its defaults.
    bind(size, inner);
  }
  void visit_component(std::string_view name, std::string_view kind, std::string_view help, std::string_view fallback,
                       const std::function<void(void*)>&) override {
    add(name, std::string(kind), fallback.empty() ? "" : write_toml_value(make_value(std::string(fallback))), help, "");
  }

  std::string prefix_;
  std::vector<OptionInfo>& infos_;
};

class Writer final : public NamedBinder {
 public:
  Writer() { table_.data = Value::Table{}; }
  Value finish() && { return std::move(table_); }

 private:
  void add(std::string_view name, Value value) {
    declare(name);
    if (!is_absent()) table_.set(name, std::move(value));
  }

  void visit(std::string_view name, bool& value, std::string_view) override { add(name, make_value(value)); }
  void visit(std::string_view name, std::int64_t& value, std::string_view, const std::optional<Limit>&,
             bool is_unsigned) override {
    add(name, integer_value(name, value, is_unsigned));
  }
  void visit(std::string_view name, double& value, std::string_view, const std::optional<Limit>&) override {
    add(name, make_value(value));
  }
  void visit(std::string_view name, std::string& value, std::string_view) override { add(name, make_value(value)); }
  void visit(std::string_view name, std::vector<double>& value, std::string_view) override {
    add(name, list_value(value));
  }
  void visit(std::string_view name, std::vector<std::string>& value, std::string_view) override {
    add(name, list_value(value));
  }
  void visit_choice(std::string_view name, std::size_t& chosen, const std::vector<std::string_view>& names,
                    std::string_view) override {
    add(name, make_value(std::string(names[chosen])));
  }
  void visit_group(std::string_view name, std::string_view, const std::function<void(OptionBinder&)>& bind) override {
    add(name, write_options(bind));
  }
  void visit_list(std::string_view name, std::string_view, std::size_t size, const std::function<void(std::size_t)>&,
                  const std::function<void(std::size_t, OptionBinder&)>& bind) override {
    Value list;
    Value::List& items = list.data.emplace<Value::List>();
    for (std::size_t i = 0; i < size; ++i)
      items.push_back(write_options([&](OptionBinder& binder) { bind(i, binder); }));
    add(name, std::move(list));
  }
  void visit_component(std::string_view name, std::string_view, std::string_view, std::string_view,
                       const std::function<void(void*)>&) override {
    declare(name);
  }

  Value table_;
};

}  // namespace

void check_options(const Value& given, std::string_view who, const std::function<void()>& validate) {
  try {
    validate();
  } catch (const ConfigError& e) {
    throw ConfigError(in_front(given.where, who) + e.what());
  }
}

std::vector<OptionInfo> describe_options(const std::function<void(OptionBinder&)>& bind) {
  std::vector<OptionInfo> infos;
  Describer describer("", infos);
  bind(describer);
  return infos;
}

Value write_options(const std::function<void(OptionBinder&)>& bind) {
  Writer writer;
  bind(writer);
  return std::move(writer).finish();
}

}  // namespace v1
}  // namespace harmonium
