#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>
#include <zlib.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/zip_archive.hpp>

namespace harmonium {
inline namespace v1 {

struct ZipMemberReader::State {
  State(const std::filesystem::path& path, const ZipMember& m) : name(path.string()), file(path), member(m) {}
  ~State() {
    if (inflating) ::inflateEnd(&stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(
        fmt::format("{}: its member '{}' is damaged: {}. Fetch or make it again.", name, member.name, problem));
  }
  /// Up to `size` bytes as they lie in the archive.
  std::size_t take(void* out, std::size_t size) {
    const std::size_t ask = std::min<std::uint64_t>(size, member.stored - taken);
    ssize_t got = 0;
    do got = ::pread(file.descriptor(), out, ask, static_cast<off_t>(member.offset + taken));
    while (got < 0 && errno == EINTR);
    if (got < 0) throw FileError(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
    if (got == 0 && ask > 0) fail("the file is cut short");
    taken += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
  std::size_t inflate_some(unsigned char* out, std::size_t size) {
    stream.next_out = out;
    stream.avail_out = static_cast<unsigned>(size);
    while (stream.avail_out == size) {
      if (stream.avail_in == 0) {
        stream.next_in = buffer;
        stream.avail_in = static_cast<unsigned>(take(buffer, sizeof buffer));
      }
      const int code = ::inflate(&stream, Z_NO_FLUSH);
      if (code == Z_STREAM_END) break;
      if (code == Z_MEM_ERROR) throw FileError(fmt::format("{}: cannot be read: out of memory", name));
      if (code != Z_OK) fail(stream.msg ? stream.msg : "its compressed bytes end too early");
    }
    return size - stream.avail_out;
  }

  std::string name;
  RegularFile file;
  ZipMember member;
  std::uint64_t taken = 0, given = 0;  ///< bytes of the archive, and of the content
  unsigned long checksum = 0;
  bool inflating = false;
  z_stream stream{};
  unsigned char buffer[1 << 16] = {};
};

ZipMemberReader::ZipMemberReader(const std::filesystem::path& path, const ZipMember& member)
    : state_(std::make_unique<State>(path, member)) {
  if (member.encrypted)
    throw DataError(
        fmt::format("{}: its member '{}' is encrypted. Make it without a password.", state_->name, member.name));
  if (member.method == ZipMember::Method::other)
    throw DataError(fmt::format("{}: its member '{}' is compressed in another way than by deflate. Make it anew.",
                                state_->name, member.name));
  state_->checksum = ::crc32(0, nullptr, 0);
  if (member.method == ZipMember::Method::stored) return;
  if (::inflateInit2(&state_->stream, -MAX_WBITS) != Z_OK)
    throw FileError(fmt::format("{}: cannot be read: out of memory", state_->name));
  state_->inflating = true;
}

ZipMemberReader::~ZipMemberReader() = default;

std::size_t ZipMemberReader::read(void* out, std::size_t size) {
  State& s = *state_;
  auto* to = static_cast<unsigned char*>(out);
  std::size_t done = 0;
  constexpr std::size_t at_a_time = 1u << 30;
  while (done < size && s.given < s.member.size) {
    const std::size_t ask = std::min({size - done, at_a_time, static_cast<std::size_t>(s.member.size - s.given)});
    const std::size_t got = s.inflating ? s.inflate_some(to + done, ask) : s.take(to + done, ask);
    if (got == 0) s.fail(fmt::format("it has {} bytes, and should have {}", s.given, s.member.size));
    s.checksum = ::crc32(s.checksum, to + done, static_cast<unsigned>(got));
    s.given += got;
    done += got;
    if (s.given == s.member.size && s.checksum != s.member.checksum) s.fail("its checksum is another");
  }
  return done;
}

}  // namespace v1
}  // namespace harmonium
