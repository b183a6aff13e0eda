#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// The number that all of `word` is; nothing where it is none, or has no room in T.
template <class T>
std::optional<T> parsed_number(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace v1
}  // namespace harmonium
