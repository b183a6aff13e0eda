#pragma once

#include <cstdint>
#include <filesystem>

namespace harmonium {
inline namespace v1 {

/// A descriptor of a regular file, open for reading until the object goes. What else has a name in a folder (a pipe, a
/// device, a socket, a folder) is refused without waiting for whoever is at its other end.
class RegularFile {
 public:
  /// Throws FileError where there is no such file, where it may not be read, or where it is no regular file.
  explicit RegularFile(const std::filesystem::path& path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// Hands the descriptor over to whoever closes it from now on.
  int release();
  /// Bytes, as of when it was opened.
  std::uint64_t size() const { return size_; }

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Throws FileError where something other than a regular file has the name `path`. Nothing, and a file, are welcome:
/// for what is to be written there.
void check_replaceable(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
