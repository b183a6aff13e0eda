#include <harmonium/framework/files/atomic_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_) {
  partial_ += ".partial";
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(fmt::format("{}: cannot be created: {}", path_.string(), std::strerror(errno)));
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  descriptor_ = -1;
  ::unlink(partial_.c_str());
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
  // Some file systems report a full disk only here.
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 || ::rename(partial_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(partial_.c_str());
    fail("written", error);
  }
  // The new name is on disk only when the folder is; a file system that cannot flush folders keeps that promise itself.
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace v1
}  // namespace harmonium
