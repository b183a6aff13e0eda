#pragma once

#include <algorithm>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// Characters of UTF-8: the columns that a printable text takes on a terminal.
inline std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

}  // namespace v1
}  // namespace harmonium
