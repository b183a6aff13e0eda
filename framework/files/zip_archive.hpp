#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// A file within a zip archive.
struct ZipMember {
  std::string name;
  std::uint64_t index = 0;  ///< its place in the archive
  std::uint64_t size = 0;   ///< bytes of its content
};

/// Whether a file begins as a zip archive does. Throws FileError where it cannot be read.
bool is_zip_archive(const std::filesystem::path& path);

/// The members of a zip archive, in the order of its directory. Of each it holds that `size` is one that its bytes in the file
/// can have. Throws FileError where it cannot be read, DataError where it is no such archive, or damaged.
std::vector<ZipMember> read_zip_directory(const std::filesystem::path& path);

/// The content of a member, in order.
class ZipMemberReader {
 public:
  /// `path`: the archive. Throws FileError where it cannot be read, DataError where the member is encrypted or compressed in
  /// another way than by deflate.
  ZipMemberReader(const std::filesystem::path& path, const ZipMember& member);
  ~ZipMemberReader();
  ZipMemberReader(const ZipMemberReader&) = delete;
  ZipMemberReader& operator=(const ZipMemberReader&) = delete;

  /// Up to `size` bytes; fewer only at its end. Throws DataError where it is damaged; the checksum is known to hold once the last
  /// byte was read.
  std::size_t read(void* out, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace v1
}  // namespace harmonium
