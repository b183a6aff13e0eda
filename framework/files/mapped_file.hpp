#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

namespace harmonium {
inline namespace v1 {

/// A file mapped into memory, read only, until the object goes. What it shows is the file itself: who changes the file
/// meanwhile changes what is read, and who cuts it short has the process killed (SIGBUS).
class MappedFile {
 public:
  /// Throws FileError.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const unsigned char* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  MappedFile(const unsigned char* data, std::uint64_t size) : data_(data), size_(size) {}
  const unsigned char* data_;
  std::uint64_t size_;
};

}  // namespace v1
}  // namespace harmonium
