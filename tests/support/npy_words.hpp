#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/files/npy_start.hpp>

namespace harmonium::testing {

/// A vector of texts as numpy.save writes it, each character in 32 bits.
inline std::string npy_words(const std::vector<std::u32string>& words, bool big_endian = false) {
  std::size_t width = 1;
  for (const std::u32string& word : words) width = std::max(width, word.size());
  std::string bytes =
      npy_start(fmt::format("'{}U{}'", big_endian ? '>' : '<', width), fmt::format("({},)", words.size()));
  for (const std::u32string& word : words)
    for (std::size_t i = 0; i < width; ++i)
      for (int byte = 0; byte < 4; ++byte) {
        const auto c = i < word.size() ? static_cast<std::uint32_t>(word[i]) : 0U;
        bytes += static_cast<char>(c >> 8 * (big_endian ? 3 - byte : byte) & 0xFFU);
      }
  return bytes;
}

/// The same of texts of bytes, as an array of dtype 'S' is.
inline std::string npy_byte_words(const std::vector<std::string>& words) {
  std::size_t width = 1;
  for (const std::string& word : words) width = std::max(width, word.size());
  std::string bytes = npy_start(fmt::format("'|S{}'", width), fmt::format("({},)", words.size()));
  for (const std::string& word : words) bytes += word + std::string(width - word.size(), '\0');
  return bytes;
}

}  // namespace harmonium::testing
