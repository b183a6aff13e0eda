#include <harmonium/framework/core/regular_file.hpp>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

[[noreturn]] void refuse(const std::filesystem::path& path, mode_t mode) {
  throw FileError(fmt::format("{}: is {}, not a file", path.string(), kind_of(mode)));
}

}  // namespace

RegularFile::RegularFile(const std::filesystem::path& path) {
  const auto fail = [&](int error) {
    throw FileError(fmt::format("{}: cannot be opened: {}", path.string(), std::strerror(error)));
  };
  struct stat status {};
  // Asked before it is opened: opening alone does something to a tape or a watchdog.
  if (::stat(path.c_str(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) refuse(path, status.st_mode);
  // And again after it: another file may have its name by now. Without O_NONBLOCK a pipe would be waited for.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail(errno);
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(std::exchange(descriptor_, -1));
    refuse(path, status.st_mode);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int RegularFile::release() { return std::exchange(descriptor_, -1); }

void check_replaceable(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  throw FileError(
      fmt::format("{}: is {}, which no file replaces. Give another name.", path.string(), kind_of(status.st_mode)));
}

}  // namespace v1
}  // namespace harmonium
