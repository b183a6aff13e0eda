#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// Bytes of the well-formed UTF-8 character at `at`; 0 where there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);
/// The characters of a text; a byte that belongs to none is U+FFFD.
std::u32string utf32_of(std::string_view text);

}  // namespace v1
}  // namespace harmonium
