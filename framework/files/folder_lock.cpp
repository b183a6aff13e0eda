#include <harmonium/framework/files/folder_lock.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

FolderLock::FolderLock(const std::filesystem::path& folder, const char* does) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    throw FileError(fmt::format("cannot open the folder {}: {}", folder.string(), std::strerror(errno)));
  descriptor_.reset(new int(descriptor), [](const int* d) {
    ::close(*d);
    delete d;
  });
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw FileError(fmt::format("{}: another process {} in this folder. Wait for it to end, or take another folder.",
                                folder.string(), does));
}

bool FolderLock::holds(const std::filesystem::path& folder) const {
  struct stat locked {
  }, now{};
  return ::fstat(*descriptor_, &locked) == 0 && ::stat(folder.c_str(), &now) == 0 && locked.st_dev == now.st_dev &&
         locked.st_ino == now.st_ino;
}

}  // namespace v1
}  // namespace harmonium
