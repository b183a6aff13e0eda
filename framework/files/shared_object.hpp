#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include <harmonium/framework/files/mapped_file.hpp>

namespace harmonium {
inline namespace v1 {

/// A shared object as a file (ELF): what it exports can be read without running any of it, not even what a compiler lets
/// run when it is loaded, and although symbols that it needs may be nowhere to be had.
class SharedObject {
 public:
  /// Throws FileError where the file cannot be read, DataError where it is no shared object for this machine or is cut
  /// short (whoever loaded that would be killed). The messages name the file.
  explicit SharedObject(const std::filesystem::path& path);

  /// The bytes of the exported constant `symbol` as they stand in the file; empty where there is none. Bytes that are
  /// filled in when it is loaded, such as pointers, have no meaning.
  std::span<const std::byte> constant(std::string_view symbol) const;

 private:
  std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t size) const;
  template <class T>
  T at(std::uint64_t offset) const;

  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> file_;
};

}  // namespace v1
}  // namespace harmonium
