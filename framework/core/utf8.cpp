#include <harmonium/framework/core/utf8.hpp>

#include <algorithm>

namespace harmonium {
inline namespace v1 {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    const bool overlong = lead == 0xF0 && second < 0x90, beyond = lead == 0xF4 && second >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::u32string utf32_of(std::string_view text) {
  constexpr char32_t none = 0xFFFD;
  std::u32string characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
    constexpr char32_t lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t character = length == 0 ? none : byte(0) & lead_bits[length];
    for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3F);
    characters += character;
    at += std::max<std::size_t>(length, 1);
  }
  return characters;
}

}  // namespace v1
}  // namespace harmonium
