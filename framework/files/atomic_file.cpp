#include <harmonium/framework/files/atomic_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::string_view beginning = ".harmonium-", ending = ".partial";

/// 16 hexadecimal digits of the system's random words.
std::string any_word() {
  std::random_device system;
  return fmt::format("{:08x}{:08x}", system(), system());
}

bool is_partial(std::string_view name) { return name.starts_with(beginning) && name.ends_with(ending); }

/// A new file, locked; -1 where it cannot be had. Where whoever clears the folder took it before the lock, another one.
int create_locked(const std::filesystem::path& folder, std::filesystem::path& partial) {
  for (;;) {
    partial = folder / fmt::format("{}{}{}", beginning, any_word(), ending);
    const int descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return -1;
    struct stat status {};
    if (::flock(descriptor, LOCK_EX) != 0 || ::fstat(descriptor, &status) != 0 || status.st_nlink > 0)
      return descriptor;  // some file systems have no locks: nothing of theirs is cleared either
    ::close(descriptor);
  }
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  check_replaceable(path_);
  descriptor_ = create_locked(path_.parent_path(), partial_);
  if (descriptor_ < 0) throw FileError(fmt::format("{}: cannot be created: {}", path_.string(), std::strerror(errno)));
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (descriptor_ < 0) return;
  ::unlink(partial_.c_str());
  ::close(descriptor_);
  descriptor_ = -1;
}

void AtomicFile::fail(std::string_view doing, int error) {
  discard();
  throw FileError(fmt::format("{}: cannot be {}: {}", path_.string(), doing, std::strerror(error)));
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail("written", errno);
  // Some file systems report a full disk only where a file is closed; the lock stays with the other descriptor.
  const int twin = ::dup(descriptor_);
  if (twin < 0 || ::close(twin) != 0 || ::rename(partial_.c_str(), path_.c_str()) != 0) fail("written", errno);
  ::close(std::exchange(descriptor_, -1));
  flush_folder(path_.has_parent_path() ? path_.parent_path() : ".");
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void remove_left_partials(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (!is_partial(entry.path().filename().string())) continue;
    const int descriptor = ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    struct stat status {};
    const bool ours = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
    if (ours && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
    ::close(descriptor);
  }
}

void flush_folder(const std::filesystem::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

}  // namespace v1
}  // namespace harmonium
