#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <zlib.h>

#include <doctest/doctest.h>

namespace harmonium::testing {

/// The lowest `bytes` bytes of a number, the lowest first.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
  return text;
}

inline std::string deflated(const std::string& content) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(content.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  const std::size_t size = stream.total_out;
  deflateEnd(&stream);
  return out.substr(0, size);
}

struct Packed {
  std::string name, content;
  bool compressed = false;
  bool wide = false;  ///< sizes of 64 bits, in the directory too
  int flags = 0, method = -1;
};

/// A zip archive, as APPNOTE.TXT has it. Local headers are as numpy writes them: their sizes in an extension of 64 bits.
inline std::string zip_bytes(const std::vector<Packed>& members) {
  std::string file, directory;
  for (const Packed& m : members) {
    const std::string stored = m.compressed ? deflated(m.content) : m.content;
    const int method = m.method >= 0 ? m.method : m.compressed ? 8 : 0;
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(m.content.data()), static_cast<uInt>(m.content.size()));
    const std::string wide = little_endian(1, 2) + little_endian(16, 2) + little_endian(m.content.size(), 8) +
                             little_endian(stored.size(), 8);
    const std::string common = little_endian(45, 2) + little_endian(m.flags, 2) + little_endian(method, 2) +
                               little_endian(0, 4) + little_endian(checksum, 4);
    const std::size_t local = file.size();
    file += "PK\3\4" + common + little_endian(0xFFFFFFFF, 4) + little_endian(0xFFFFFFFF, 4) +
            little_endian(m.name.size(), 2) + little_endian(wide.size(), 2) + m.name + wide + stored;
    directory += "PK\1\2" + little_endian(45, 2) + common + little_endian(m.wide ? 0xFFFFFFFF : stored.size(), 4) +
                 little_endian(m.wide ? 0xFFFFFFFF : m.content.size(), 4) + little_endian(m.name.size(), 2) +
                 little_endian(m.wide ? wide.size() : 0, 2) + little_endian(0, 2) + little_endian(0, 2) +
                 little_endian(0, 2) + little_endian(0, 4) + little_endian(local, 4) + m.name + (m.wide ? wide : "");
  }
  return file + directory + "PK\5\6" + little_endian(0, 4) + little_endian(members.size(), 2) +
         little_endian(members.size(), 2) + little_endian(directory.size(), 4) + little_endian(file.size(), 4) +
         little_endian(0, 2);
}

}  // namespace harmonium::testing
