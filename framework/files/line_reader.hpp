#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <harmonium/framework/files/stream_reader.hpp>

namespace harmonium {
inline namespace v1 {

/// The lines of a plain or gzipped text file, in order, each without its end (LF or CR LF); a byte order mark before the
/// first is passed over. Memory is that of the longest line. Throws as StreamReader does, and DataError for UTF-16 or a
/// line of more than 256 MiB.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path);

  const std::string& name() const { return reader_.name(); }
  /// The next line, valid until the next call; nothing at the end of the file.
  std::optional<std::string_view> next();
  /// Its number, counted from 1.
  std::uint64_t number() const { return number_; }

 private:
  StreamReader reader_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer is not handed out yet
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace v1
}  // namespace harmonium
