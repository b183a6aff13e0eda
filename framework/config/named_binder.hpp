#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/options.hpp>

/// What the binders that read, describe and write have in common. Internal to this folder.
namespace harmonium {
inline namespace v1 {

/// A binder that knows the names declared so far.
class NamedBinder : public OptionBinder {
 protected:
  void declare(std::string_view name) {
    if (std::find(declared_.begin(), declared_.end(), name) != declared_.end())
      throw std::logic_error(fmt::format("option '{}' is declared twice", name));
    declared_.emplace_back(name);
  }

  bool is_absent() const { return optional_present_ != nullptr && !*optional_present_; }

  std::vector<std::string> declared_;
};

inline Value integer_value(std::string_view name, std::int64_t value, bool is_unsigned) {
  if (is_unsigned && value < 0)
    throw std::logic_error(fmt::format("option '{}': its default is beyond what a configuration can hold", name));
  return make_value(value);
}

template <class T>
Value list_value(const std::vector<T>& items) {
  Value list;
  Value::List& values = list.data.emplace<Value::List>();
  for (const T& item : items) values.push_back(make_value(item));
  return list;
}

inline std::string in_front(const std::string& where, std::string_view who) {
  return where.empty() ? fmt::format("{}: ", who) : fmt::format("{}: {}: ", where, who);
}

}  // namespace v1
}  // namespace harmonium
