#pragma once

#include <algorithm>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// Takes `word` off the front of the name of a part, or a whole number; false, and the name as it was, where it does not
/// begin with one.
inline bool take(std::string_view& name, std::string_view word) {
  if (!name.starts_with(word)) return false;
  name.remove_prefix(word.size());
  return true;
}
inline bool take_number(std::string_view& name) {
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  name.remove_prefix(digits);
  return digits > 0;
}

}  // namespace v1
}  // namespace harmonium
