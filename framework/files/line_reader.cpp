#include <harmonium/framework/files/line_reader.hpp>

#include <cstring>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t first_size = std::size_t{1} << 20, longest_line = std::size_t{1} << 28;

}  // namespace

LineReader::LineReader(const std::filesystem::path& path) : reader_(path), buffer_(first_size) {}

std::optional<std::string_view> LineReader::next() {
  const char* newline = nullptr;
  for (std::size_t searched = begin_;;) {
    if (searched < end_)
      newline = static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (newline || ended_) break;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) {
      if (end_ >= longest_line)
        throw DataError(fmt::format("{}:{}: a line of more than {} bytes (text in rows expected)", name(), number_ + 1,
                                    longest_line));
      buffer_.resize(2 * end_);
    }
    searched = end_;
    const std::size_t got = reader_.read_some(buffer_.data() + end_, buffer_.size() - end_);
    ended_ = got < buffer_.size() - end_;
    end_ += got;
  }
  if (begin_ == end_) return std::nullopt;
  const std::size_t size = newline ? static_cast<std::size_t>(newline - (buffer_.data() + begin_)) : end_ - begin_;
  std::string_view line(buffer_.data() + begin_, size);
  begin_ += size + (newline ? 1 : 0);
  if (++number_ == 1) {
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
      throw DataError(fmt::format("{}:1: text in UTF-16 (UTF-8 expected). Save it as UTF-8.", name()));
    const std::string_view read(buffer_.data(), end_);
    if (read.starts_with("PK\x03\x04"))
      throw DataError(
          fmt::format("{}: is no text, but an archive, such as a spreadsheet's own format. Save it as CSV.", name()));
    if (read.find('\0') != std::string_view::npos)
      throw DataError(
          fmt::format("{}: is no text: it holds bytes that are no characters. If it is of another kind than its "
                      "name says, give it its own name, or set data.type.",
                      name()));
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace v1
}  // namespace harmonium
