#pragma once

#include <fmt/ranges.h>

#include <harmonium/framework/config/named_binder.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>

/// Internal to this folder.
namespace harmonium {
inline namespace v1 {

/// The options that a table gives, what is said of a wrong one, and the effective configuration that comes of them.
class GivenOptions : public NamedBinder {
 protected:
  /// `prefix` is what the names in messages start with: "" or that of a group, "ladder.".
  GivenOptions(const Value& given, std::string_view who, std::string prefix)
      : given_(given), who_(who), prefix_(std::move(prefix)) {
    effective_.where = given.where;
    effective_.data = Value::Table{};
    const Value* type = prefix_.empty() ? given.find("type") : nullptr;
    if (type != nullptr) effective_.set("type", *type);
  }

  void refuse_unknown() const {
    const auto* entries = std::get_if<Value::Table>(&given_.data);
    if (entries == nullptr) return;
    for (const auto& [key, value] : *entries) {
      if (key == "type" && prefix_.empty()) continue;
      if (std::find(declared_.begin(), declared_.end(), key) != declared_.end()) continue;
      std::vector<std::string> meant = declared_;
      if (prefix_.empty() && given_.find("type")) meant.emplace_back("type");
      const std::string nearest = nearest_name(key, meant);
      const std::string hint =
          nearest.empty() ? kept_elsewhere(key) : fmt::format(" (did you mean '{}{}'?)", prefix_, nearest);
      std::vector<std::string> known;
      for (const std::string& name : declared_) known.push_back(prefix_ + name);
      fail(value, fmt::format("unknown option '{}{}'{}. {}", prefix_, key, hint,
                              known.empty() ? "There are none." : fmt::format("Known: {}.", fmt::join(known, ", "))));
    }
  }

  [[noreturn]] void fail(const Value& at, const std::string& problem) const {
    throw ConfigError(in_front(at.where.empty() ? given_.where : at.where, who_) + problem);
  }

  [[noreturn]] void mistyped(std::string_view name, const Value& at, std::string_view wanted,
                             std::string_view hint = "") const {
    const std::string_view quotes = wanted == "a string" && at.number() ? " (in quotes it would be one)" : "";
    fail(at, fmt::format("option '{}{}' must be {}, not {}{}{}.", prefix_, name, wanted, at.type_name(), quotes, hint));
  }

  [[noreturn]] void not_allowed(std::string_view name, const Value& at, std::string_view words) const {
    const double* number = std::get_if<double>(&at.data);
    const std::string written = number != nullptr ? fmt::format("{}", *number) : write_toml_value(at);
    fail(at, fmt::format("option '{}{}' = {} is not allowed: it must be {}.", prefix_, name, written, words));
  }

  /// The value given for `name`; null where there is none.
  const Value* look_up(std::string_view name) {
    declare(name);
    const Value* value = given_.find(name);
    if (value != nullptr && std::holds_alternative<std::monostate>(value->data)) value = nullptr;
    if (value != nullptr && optional_present_ != nullptr) *optional_present_ = true;
    return value;
  }

  void keep(std::string_view name, const Value* at, Value value) {
    if (is_absent()) return;
    if (at != nullptr) value.where = at->where;
    effective_.set(name, std::move(value));
  }

  const Value& given_;
  std::string_view who_;
  std::string prefix_;
  Value effective_;

 private:
  void refuse(std::string_view name, const std::string& words) override {
    // A default that does not fit its own member cannot occur, so the value was given.
    not_allowed(name, *given_.find(name), words);
  }
};

}  // namespace v1
}  // namespace harmonium
