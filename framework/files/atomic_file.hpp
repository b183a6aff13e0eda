#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include <harmonium/framework/core/unfinished.hpp>

namespace harmonium {
inline namespace v1 {

/// A file that appears under its name whole or not at all: written in the same folder as
/// .harmonium-WORD.partial, flushed to disk, then renamed. WORD is drawn by the system and the file is always a new one,
/// so that nobody who may write to the folder can put a link there for it to follow. Destroyed before `commit`, as an exception does, it leaves no trace and
/// an older file of that name as it was. Every failure is a FileError naming the path and the system's reason ("No space
/// left on device"). It is locked while it is written, by which what a kill left behind can be told from it.
class AtomicFile {
 public:
  /// Creates it, empty.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The partial file: for a program that opens files itself; it must have closed it before `commit`.
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
  UnfinishedWork unfinished_{UnfinishedWork::Kind::file};
};

void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Removes from a folder the partial files that processes of this user left when they were killed: those that nobody
/// writes to any more. What cannot be removed stays.
void remove_left_partials(const std::filesystem::path& folder);

/// Flushes a folder's list of names to disk; a file system that cannot keeps it there itself.
void flush_folder(const std::filesystem::path& folder);

}  // namespace v1
}  // namespace harmonium
