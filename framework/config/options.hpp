#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// A limit on a numeric option: the test, and the words for it ("at least 1").
struct Limit {
  std::string words;
  std::function<bool(double)> holds;
};
Limit at_least(double low);             ///< "at least 1"
Limit more_than(double low);            ///< "more than 0"
Limit within(double low, double high);  ///< "from 0 to 1", both included
Limit finite();                         ///< "a finite number"; every other limit implies it

/// One option, as `harmonium describe` prints it and the reference manual holds it.
struct OptionInfo {
  std::string name, type, fallback, limit, help;
};

/// The readings of one declaration: read a Value into the struct, describe it, write it back. An options struct names
/// each member once:
///
///   struct GibbsOptions {
///     Index tile = 0;
///     void bind(OptionBinder& o) {
///       o.option("tile", tile, "chains a task; 0 picks it from their number", at_least(0));
///     }
///   };
///
/// A struct may also have `void validate() const`, called after reading, which throws ConfigError("problem (why). What
/// to do.") without a place: the reader puts the table's place and the component's name in front. That of a group or of
/// a list's item is called too; a struct that is bound as a part of another one, `part.bind(o)`, is validated by that.
class OptionBinder {
 public:
  virtual ~OptionBinder();

  /// bool, any integer, double, float, std::string, std::vector<double>, std::vector<std::string>, or std::optional of
  /// one of them (absent unless given or set before).
  template <class T>
  void option(std::string_view name, T& value, std::string_view help, const std::optional<Limit>& limit = {}) {
    if constexpr (is_optional<T>::value) {
      typename T::value_type inner = value.value_or(typename T::value_type{});
      bool present = value.has_value();
      const Optional scope(*this, present);
      option(name, inner, help, limit);
      if (present) value = std::move(inner);
      else value.reset();
    } else if constexpr (std::is_same_v<T, bool>) {
      visit(name, value, help);
    } else if constexpr (std::is_integral_v<T>) {
      std::int64_t wide = static_cast<std::int64_t>(value);
      visit(name, wide, help, limit, std::is_unsigned_v<T>);
      if constexpr (sizeof(T) < sizeof(wide)) {
        using Range = std::numeric_limits<T>;
        if (!std::in_range<T>(wide)) refuse(name, within(double{Range::min()}, double{Range::max()}).words);
      }
      value = static_cast<T>(wide);
    } else if constexpr (std::is_floating_point_v<T>) {
      double wide = widened(value);
      visit(name, wide, help, limit);
      if constexpr (sizeof(T) < sizeof(wide)) {
        constexpr double largest = std::numeric_limits<T>::max();
        if (wide < -largest || wide > largest) refuse(name, within(-largest, largest).words);
      }
      value = static_cast<T>(wide);
    } else {
      visit(name, value, help);
    }
  }

  /// One of a few words.
  template <class E>
  struct Choice {
    std::string_view name;
    E value;
  };
  template <class E, std::size_t N>
  void choice(std::string_view name, E& value, const Choice<E> (&choices)[N], std::string_view help) {
    std::vector<std::string_view> names;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < N; ++i) {
      names.push_back(choices[i].name);
      if (choices[i].value == value) chosen = i;
    }
    visit_choice(name, chosen, names, help);
    value = choices[chosen].value;
  }

  /// A table of options inside this one; `T` has `bind`.
  template <class T>
  void group(std::string_view name, T& inner, std::string_view help) {
    visit_group(name, help, [&](OptionBinder& binder) { bind_inner(inner, binder); });
  }

  /// A list of tables of options; `T` has `bind`.
  template <class T>
  void list(std::string_view name, std::vector<T>& items, std::string_view help) {
    visit_list(
        name, help, items.size(), [&](std::size_t n) { items.resize(n); },
        [&](std::size_t i, OptionBinder& binder) {
          if (i < items.size()) bind_inner(items[i], binder);
          else {
            T example;
            example.bind(binder);
          }
        });
  }

  /// A nested component: a table with its own `type` and options, made by the registry of I. `fallback` is the type
  /// taken, with that type's defaults, where the table or its `type` is absent; empty: it must be given.
  template <class I>
  void component(std::string_view name, std::unique_ptr<I>& slot, std::string_view help,
                 std::string_view fallback = "") {
    visit_component(name, I::kind, help, fallback, [&](void* made) { slot.reset(static_cast<I*>(made)); });
  }

  /// A list of such components, each a table with its own `type`; none unless given.
  template <class I>
  void components(std::string_view name, std::vector<std::unique_ptr<I>>& slots, std::string_view help) {
    visit_components(name, I::kind, help, [&](void* made) { slots.emplace_back(static_cast<I*>(made)); });
  }

 protected:
  /// Set while an optional member is visited: whether it holds a value; the reader sets it where one was given.
  bool* optional_present_ = nullptr;

  /// Called where the value just read does not fit the member's type; throws, with the words for what would.
  virtual void refuse(std::string_view name, const std::string& words);

  /// Takes the `validate` of a group's or a list item's struct: a reader runs it once all of its options are read.
  virtual void when_read(std::function<void()> validate);

 private:
  template <class T>
  static void bind_inner(T& inner, OptionBinder& binder) {
    inner.bind(binder);
    if constexpr (requires { inner.validate(); }) binder.when_read([&inner] { inner.validate(); });
  }
  static double widened(double value) { return value; }
  /// The double that the float's shortest decimal names, so that 0.1f is written as 0.1.
  static double widened(float value);

  template <class T>
  struct is_optional : std::false_type {};
  template <class T>
  struct is_optional<std::optional<T>> : std::true_type {};
  struct Optional {
    Optional(OptionBinder& b, bool& present) : binder(b) { binder.optional_present_ = &present; }
    ~Optional() { binder.optional_present_ = nullptr; }
    Optional(const Optional&) = delete;
    Optional& operator=(const Optional&) = delete;
    OptionBinder& binder;
  };

  virtual void visit(std::string_view name, bool& value, std::string_view help) = 0;
  virtual void visit(std::string_view name, std::int64_t& value, std::string_view help,
                     const std::optional<Limit>& limit, bool is_unsigned) = 0;
  virtual void visit(std::string_view name, double& value, std::string_view help,
                     const std::optional<Limit>& limit) = 0;
  virtual void visit(std::string_view name, std::string& value, std::string_view help) = 0;
  virtual void visit(std::string_view name, std::vector<double>& value, std::string_view help) = 0;
  virtual void visit(std::string_view name, std::vector<std::string>& value, std::string_view help) = 0;
  virtual void visit_choice(std::string_view name, std::size_t& chosen, const std::vector<std::string_view>& names,
                            std::string_view help) = 0;
  virtual void visit_group(std::string_view name, std::string_view help,
                           const std::function<void(OptionBinder&)>& bind) = 0;
  virtual void visit_list(std::string_view name, std::string_view help, std::size_t size,
                          const std::function<void(std::size_t)>& resize,
                          const std::function<void(std::size_t, OptionBinder&)>& bind) = 0;
  virtual void visit_component(std::string_view name, std::string_view kind, std::string_view help,
                               std::string_view fallback, const std::function<void(void*)>& take) = 0;
  virtual void visit_components(std::string_view name, std::string_view kind, std::string_view help,
                                const std::function<void(void*)>& take) = 0;
};

/// Makes nested components for a reader of options; the registries are one. Real-free, so that options are too.
class ComponentMaker {
 public:
  virtual ~ComponentMaker();
  /// Makes the component of `kind` that `spec` (a table with `type`) asks for and hands over ownership as the
  /// interface's pointer. `effective` receives the table with every default written out.
  virtual void* make_component(std::string_view kind, const Value& spec, Value& effective) const = 0;
};

/// Reads the table `given` through `bind`. Throws ConfigError with place, `who` ("sampler 'gibbs'"), reason and, for
/// an unknown key, the nearest known name. Returns the table with every default written out (keys in the order of
/// declaration; a `type` key is carried over first).
Value read_options(const Value& given, std::string_view who, const ComponentMaker* components,
                   const std::function<void(OptionBinder&)>& bind);

/// Runs `validate`; a ConfigError it throws is thrown again with the place and `who` in front.
void check_options(const Value& given, std::string_view who, const std::function<void()>& validate);

template <class Options>
Value read_options(const Value& given, std::string_view who, Options& options,
                   const ComponentMaker* components = nullptr) {
  Value effective = read_options(given, who, components, [&](OptionBinder& binder) { options.bind(binder); });
  if constexpr (requires { options.validate(); }) {
    check_options(given, who, [&] { options.validate(); });
  }
  return effective;
}

/// What the struct's declaration says; groups appear as "group.name", lists as "list[].name".
std::vector<OptionInfo> describe_options(const std::function<void(OptionBinder&)>& bind);

/// The struct's present values as a table; nested components are left out.
Value write_options(const std::function<void(OptionBinder&)>& bind);
/// The table that makes a component of this type and these options again.
template <class Options>
Value table_of(std::string_view type, Options options) {
  Value table = make_table({{"type", make_value(std::string(type))}});
  const Value values = write_options([&](OptionBinder& binder) { options.bind(binder); });
  for (const auto& [key, value] : std::get<Value::Table>(values.data)) table.set(key, value);
  return table;
}

}  // namespace v1
}  // namespace harmonium
