#include <harmonium/framework/files/stream_reader.hpp>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <limits>

#include <unistd.h>
#include <zlib.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/zip_archive.hpp>

namespace harmonium {
inline namespace v1 {

struct StreamReader::State {
  std::string name;
  gzFile file = nullptr;
  std::uint64_t offset = 0, size_on_disk = 0;
  bool compressed = false;
  std::unique_ptr<ZipMemberReader> member = {};  // in place of the file
  std::uint64_t member_size = 0;
};

StreamReader::StreamReader(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->name = path.string();
  RegularFile opened(path);
  state_->size_on_disk = opened.size();
  unsigned char magic[2] = {0, 0};
  // A file cut after its first magic byte would pass for plain content, which no reader takes for its own.
  state_->compressed = ::pread(opened.descriptor(), magic, 2, 0) == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
  state_->file = ::gzdopen(opened.descriptor(), "rb");
  if (!state_->file) throw FileError(fmt::format("{}: cannot be opened: out of memory", name()));
  opened.release();
  ::gzbuffer(state_->file, 1u << 17);
}

StreamReader::StreamReader(const std::filesystem::path& archive, const ZipMember& member)
    : state_(std::make_unique<State>()) {
  state_->name = archive.string() + ":" + member.name;
  state_->compressed = true;  // not to be mapped
  state_->member = std::make_unique<ZipMemberReader>(archive, member);
  state_->member_size = member.size;
}

StreamReader::~StreamReader() {
  if (state_->file) ::gzclose(state_->file);
}

const std::string& StreamReader::name() const { return state_->name; }

std::uint64_t StreamReader::offset() const { return state_->offset; }

bool StreamReader::compressed() const { return state_->compressed; }

std::uint64_t StreamReader::most_bytes() const {
  // Deflate makes at most 258 bytes of 2 bits: a factor of 1032.
  constexpr std::uint64_t factor = 1032;
  if (state_->member) return state_->member_size;
  if (!state_->compressed) return state_->size_on_disk;
  if (state_->size_on_disk > std::numeric_limits<std::uint64_t>::max() / factor) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return state_->size_on_disk * factor;
}

std::size_t StreamReader::read_some(void* out, std::size_t size) {
  std::size_t done = 0;
  if (state_->member) {
    done = state_->member->read(out, size);
    state_->offset += done;
    return done;
  }
  while (done < size) {
    const auto ask = static_cast<unsigned>(std::min<std::size_t>(size - done, 1u << 30));
    const int got = ::gzread(state_->file, static_cast<char*>(out) + done, ask);
    if (got > 0) done += static_cast<std::size_t>(got);
    if (got == static_cast<int>(ask)) continue;
    int code = Z_OK;
    const char* words = ::gzerror(state_->file, &code);
    const std::uint64_t at = state_->offset + done;
    if (code == Z_ERRNO)
      throw FileError(fmt::format("{}: byte {}: cannot be read: {}", name(), at, std::strerror(errno)));
    if (code == Z_BUF_ERROR) {
      throw DataError(
          fmt::format("{}: byte {} of its content: the compressed file is cut short. Fetch it again.", name(), at));
    }
    if (code != Z_OK && code != Z_STREAM_END) {
      const std::string_view reason = words;
      const auto colon = reason.rfind(": ");  // zlib puts "<fd:3>: " in front
      throw DataError(
          fmt::format("{}: near byte {} of its content: the compressed file is damaged ({}). Fetch it again.", name(),
                      at, colon == std::string::npos ? reason : reason.substr(colon + 2)));
    }
    if (got <= 0) break;
  }
  state_->offset += done;
  return done;
}

void StreamReader::read_exactly(void* out, std::size_t size, std::string_view what) {
  const std::uint64_t begin = state_->offset;
  const std::size_t got = read_some(out, size);
  if (got != size) {
    throw DataError(fmt::format("{}: byte {}: the file ends within {} ({} bytes expected, {} found)", name(), begin,
                                what, size, got));
  }
}

void StreamReader::expect_end() {
  const std::uint64_t begin = state_->offset;
  char more = 0;
  if (read_some(&more, 1) != 0) {
    throw DataError(fmt::format("{}: byte {}: the data ends here by its header, but more follows", name(), begin));
  }
}

}  // namespace v1
}  // namespace harmonium
