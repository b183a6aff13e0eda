#pragma once

#include <algorithm>
#include <string>

namespace harmonium {
inline namespace v1 {

/// Of ASCII: ends of lines among them.
inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// As it can be shown in a line: a question mark for each control character.
inline std::string without_control(std::string text) {
  std::ranges::replace_if(text, is_control, '?');
  return text;
}

}  // namespace v1
}  // namespace harmonium
