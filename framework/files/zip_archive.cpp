#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/zip_archive.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::uint64_t largest_directory = std::uint64_t{1} << 26;
constexpr std::uint64_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46, local_size = 30;
constexpr std::uint64_t longest_comment = 65535;
constexpr std::uint64_t in_extension = 0xFFFFFFFF;  // what stands for a number of 64 bits that is elsewhere

/// Numbers of the archive, little-endian, at places that are known to be there.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

class ZipDirectoryReader {
 public:
  explicit ZipDirectoryReader(const std::filesystem::path& path) : name_(path.string()), file_(path) {}

  std::vector<ZipMember> read() {
    find_end();
    if (directory_size_ > largest_directory || directory_offset_ > end_ || directory_size_ > end_ - directory_offset_)
      fail(fmt::format("its directory is said to have {} bytes from byte {} on, and does not lie in the file",
                       directory_size_, directory_offset_));
    if (num_members_ > directory_size_ / entry_size)
      fail(fmt::format("its directory is said to name {} members, which {} bytes cannot", num_members_,
                       directory_size_));
    const std::string bytes = bytes_at(directory_offset_, directory_size_);
    std::string_view rest = bytes;
    std::vector<ZipMember> members;
    for (std::uint64_t i = 0; i < num_members_; ++i) members.push_back(next_member(rest));
    return members;
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(fmt::format("{}: the zip archive is damaged: {}. Fetch or make it again.", name_, problem));
  }
  std::string bytes_at(std::uint64_t offset, std::uint64_t size) const {
    std::string bytes(size, '\0');
    for (std::uint64_t done = 0; done < size;) {
      const ssize_t got =
          ::pread(file_.descriptor(), bytes.data() + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw FileError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
      if (got == 0) fail("it is cut short");
      done += static_cast<std::uint64_t>(got);
    }
    return bytes;
  }

  /// The record at the end, which says where the directory is.
  void find_end() {
    const std::uint64_t tail = std::min(file_.size(), end_size + longest_comment);
    const std::string bytes = bytes_at(file_.size() - tail, tail);
    std::optional<std::size_t> found;
    for (std::size_t at = tail < end_size ? 0 : tail - end_size + 1; at-- > 0 && !found;)
      if (std::string_view(bytes).substr(at).starts_with("PK\5\6") &&
          at + end_size + number_at(bytes, at + 20, 2) == tail)
        found = at;
    if (!found) fail("its end is not there");
    end_ = file_.size() - tail + *found;
    if (number_at(bytes, *found + 4, 2) != 0 || number_at(bytes, *found + 6, 2) != 0) fail("it is a part of several");
    num_members_ = number_at(bytes, *found + 10, 2);
    directory_size_ = number_at(bytes, *found + 12, 4);
    directory_offset_ = number_at(bytes, *found + 16, 4);
    if (num_members_ == 0xFFFF || directory_size_ == in_extension || directory_offset_ == in_extension) find_end64();
  }
  void find_end64() {
    if (end_ < locator_size) return;
    const std::string locator = bytes_at(end_ - locator_size, locator_size);
    if (!locator.starts_with("PK\6\7")) return;  // as many as that, or as large
    const std::uint64_t offset = number_at(locator, 8, 8);
    if (offset > end_ || end_ - offset < end64_size) fail("the second record of its end does not lie in the file");
    const std::string record = bytes_at(offset, end64_size);
    if (!record.starts_with("PK\6\6")) fail("the second record of its end is not there");
    num_members_ = number_at(record, 32, 8);
    directory_size_ = number_at(record, 40, 8);
    directory_offset_ = number_at(record, 48, 8);
    end_ = offset;
  }

  /// Takes an entry off the directory.
  ZipMember next_member(std::string_view& rest) const {
    if (rest.size() < entry_size || !rest.starts_with("PK\1\2")) fail("an entry of its directory is not there");
    const std::size_t name = number_at(rest, 28, 2), extra = number_at(rest, 30, 2), comment = number_at(rest, 32, 2);
    if (rest.size() - entry_size < name + extra + comment) fail("its directory is cut short");
    ZipMember member;
    member.name = rest.substr(entry_size, name);
    member.encrypted = (number_at(rest, 8, 2) & 1) != 0;
    const std::uint64_t method = number_at(rest, 10, 2);
    member.method = method == 0   ? ZipMember::Method::stored
                    : method == 8 ? ZipMember::Method::deflated
                                  : ZipMember::Method::other;
    member.checksum = static_cast<std::uint32_t>(number_at(rest, 16, 4));
    member.stored = number_at(rest, 20, 4);
    member.size = number_at(rest, 24, 4);
    std::uint64_t local = number_at(rest, 42, 4);
    read_extension(rest.substr(entry_size + name, extra), member, local);
    place(member, local);
    rest.remove_prefix(entry_size + name + extra + comment);
    return member;
  }
  /// The numbers of 64 bits of an entry, in the order in which their places of 32 bits have none.
  void read_extension(std::string_view extra, ZipMember& member, std::uint64_t& local) const {
    while (extra.size() >= 4) {
      const std::size_t size = number_at(extra, 2, 2);
      if (extra.size() - 4 < size) fail("an extension of its directory is cut short");
      if (number_at(extra, 0, 2) == 1) {
        std::string_view numbers = extra.substr(4, size);
        for (std::uint64_t* value : {&member.size, &member.stored, &local}) {
          if (*value != in_extension) continue;
          if (numbers.size() < 8) fail("an extension of its directory is cut short");
          *value = number_at(numbers, 0, 8);
          numbers.remove_prefix(8);
        }
        return;
      }
      extra.remove_prefix(4 + size);
    }
  }
  /// Finds the bytes of a member, and whether they can be what the directory says.
  void place(ZipMember& member, std::uint64_t local) const {
    const auto lies = [&](std::uint64_t offset, std::uint64_t size) {
      return offset <= directory_offset_ && size <= directory_offset_ - offset;
    };
    if (!lies(local, local_size)) fail(fmt::format("its member '{}' does not lie in the file", member.name));
    const std::string header = bytes_at(local, local_size);
    if (!header.starts_with("PK\3\4")) fail(fmt::format("its member '{}' is not where it should be", member.name));
    member.offset = local + local_size + number_at(header, 26, 2) + number_at(header, 28, 2);
    constexpr std::uint64_t most_of_deflate = 1032;  // 258 bytes of 2 bits
    const bool possible = member.method == ZipMember::Method::stored ? member.size == member.stored
                                                                     : member.size / most_of_deflate <= member.stored;
    if (!lies(member.offset, member.stored) || !possible)
      fail(fmt::format("its member '{}' cannot have the {} bytes, {} of them in the file, that it is said to have",
                       member.name, member.size, member.stored));
  }

  std::string name_;
  RegularFile file_;
  std::uint64_t end_ = 0, num_members_ = 0, directory_size_ = 0, directory_offset_ = 0;
};

}  // namespace

bool is_zip_archive(const std::filesystem::path& path) {
  const RegularFile file(path);
  char begin[4] = {};
  const bool whole = ::pread(file.descriptor(), begin, 4, 0) == 4;
  // Of members, or, of an archive of none, its end.
  return whole && (std::memcmp(begin, "PK\3\4", 4) == 0 || std::memcmp(begin, "PK\5\6", 4) == 0);
}

std::vector<ZipMember> read_zip_directory(const std::filesystem::path& path) { return ZipDirectoryReader(path).read(); }

}  // namespace v1
}  // namespace harmonium
