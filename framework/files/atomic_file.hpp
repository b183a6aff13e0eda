#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// A file that appears under its name whole or not at all: written as NAME.partial in the same folder, flushed to disk,
/// then renamed. Destroyed before `commit`, as an exception does, it leaves no trace and an older file of that name
/// as it was. Every failure is a FileError naming the path and the system's reason ("No space left on device").
class AtomicFile {
 public:
  /// Creates NAME.partial, empty; one left over from a run that was killed is overwritten.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// NAME.partial: for a library that opens files itself; it must have closed it before `commit`.
  const std::filesystem::path& path() const { return partial_; }
  /// Appends bytes.
  void write(std::string_view bytes);
  /// Flushes to disk and renames. Once.
  void commit();

 private:
  // Removes the partial and throws FileError with the words of `error`.
  [[noreturn]] void fail(std::string_view doing, int error);
  void discard() noexcept;

  std::filesystem::path path_, partial_;
  int descriptor_ = -1;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace v1
}  // namespace harmonium
