#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/given_options.hpp>

/// Internal to this folder.
namespace harmonium {
inline namespace v1 {

/// Reads options that are one value, or a list of values.
class ValueReader : public GivenOptions {
 protected:
  using GivenOptions::GivenOptions;

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
    if (const auto* integer = std::get_if<std::int64_t>(&item.data)) return fmt::format("{}", *integer);
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
      // Beside words an integer is one whose quotation marks were forgotten, or is meant for another option.
      const auto* all = std::get_if<Value::List>(&at->data);
      const bool has_words = all != nullptr && std::ranges::any_of(*all, &Value::is_string);
      if (at->is_string()) value.push_back(std::get<std::string>(at->data));  // one without the brackets of a list
      else
        read_elements(name, *at, "a list of strings", "a string", [&](const Value& item) {
          std::optional<std::string> text = has_words && item.number() ? std::nullopt : text_of(item);
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
};

}  // namespace v1
}  // namespace harmonium
