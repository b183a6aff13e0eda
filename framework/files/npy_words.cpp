#include <harmonium/framework/files/npy_words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/utf8.hpp>
#include <harmonium/framework/files/npy_header.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/stream_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t character_bytes = 4;

/// Appends a character in UTF-8 (RFC 3629); whether it is one.
bool append(std::string& text, std::uint32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return false;
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](int shift) { add(0x80U | (c >> shift & 0x3FU)); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0U | c >> 6);
    rest(0);
  } else if (c < 0x10000) {
    add(0xE0U | c >> 12);
    rest(6);
    rest(0);
  } else {
    add(0xF0U | c >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
  return true;
}

/// A text of bytes as numpy pads it, with zeros behind.
std::string text_of_bytes(const std::vector<unsigned char>& bytes, const StreamReader& reader) {
  std::string text(bytes.begin(), bytes.end());
  text.erase(text.find_last_not_of('\0') + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0)
      throw DataError(fmt::format(
          "{}: byte {}: {:#x} is no character in UTF-8. Save the words by numpy.char.decode(words, 'latin-1'), or what "
          "else they are encoded by.",
          reader.name(), reader.offset() - bytes.size() + at, bytes[at]));
    at += length;
  }
  return text;
}

/// The same of a text of characters.
std::string text_of(const std::vector<unsigned char>& bytes, const NpyHeader& header, const StreamReader& reader) {
  std::string text;
  std::size_t zeros = 0;
  for (std::size_t at = 0; at < bytes.size(); at += character_bytes) {
    std::uint32_t c = 0;
    for (std::size_t i = 0; i < character_bytes; ++i)
      c |= std::uint32_t{bytes[at + i]} << 8 * (header.order == ByteOrder::little ? i : character_bytes - 1 - i);
    zeros = c == 0 ? zeros + 1 : 0;
    if (!append(text, c))
      throw DataError(
          fmt::format("{}: byte {}: {:#x} is no character", reader.name(), reader.offset() - bytes.size() + at, c));
  }
  text.resize(text.size() - zeros);
  return text;
}

std::string next_text(StreamReader& reader, const NpyHeader& header) {
  std::vector<unsigned char> bytes(header.text_width * (header.byte_texts ? 1 : character_bytes));
  reader.read_exactly(bytes.data(), bytes.size(), "a text");
  return header.byte_texts ? text_of_bytes(bytes, reader) : text_of(bytes, header, reader);
}

std::optional<std::vector<std::string>> read_texts(StreamReader& reader) {
  const NpyHeader header = read_npy_header(reader);
  if (header.text_width == 0) return {};
  const bool vector = header.shape.size() == 1 || (header.shape.size() == 2 && header.shape[1] == 1);
  if (!vector || header.shape[0] == 0)
    throw DataError(fmt::format("{}: texts of shape ({}) (a vector, one a row, expected)", reader.name(),
                                fmt::join(header.shape, ", ")));
  std::vector<std::string> texts;
  for (std::uint64_t r = 0; r < header.shape[0]; ++r) texts.push_back(next_text(reader, header));
  reader.expect_end();
  return texts;
}

std::string read_one_text(StreamReader& reader) {
  const NpyHeader header = read_npy_header(reader);
  if (header.text_width == 0 || std::ranges::any_of(header.shape, [](std::uint64_t n) { return n != 1; }))
    throw DataError(fmt::format("{}: an array of dtype '{}' and shape ({}) (one text expected, as of dtype '<U9')",
                                reader.name(), header.descr, fmt::join(header.shape, ", ")));
  std::string text = next_text(reader, header);
  reader.expect_end();
  return text;
}

template <class Read>
auto read_of(const std::filesystem::path& path, const std::string& array, const Read& read) {
  if (is_zip_archive(path)) {
    StreamReader reader(path, find_npz_array(path, array));
    return read(reader);
  }
  StreamReader reader(path);
  return read(reader);
}

}  // namespace

std::optional<std::vector<std::string>> read_npy_words(const std::filesystem::path& path, const std::string& array) {
  return read_of(path, array, read_texts);
}

std::string read_npy_text(const std::filesystem::path& path, const std::string& array) {
  return read_of(path, array, read_one_text);
}

}  // namespace v1
}  // namespace harmonium
