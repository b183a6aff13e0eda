#include <harmonium/framework/files/mapped_file.hpp>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto fail = [&](int error) -> void {
    throw FileError(fmt::format("{}: cannot be mapped into memory: {}", path.string(), std::strerror(error)));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(errno);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  const auto size = static_cast<std::uint64_t>(known ? status.st_size : 0);
  void* const at = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  const int error = size > 0 ? errno : EINVAL;
  ::close(descriptor);
  if (at == MAP_FAILED) fail(error);
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const unsigned char*>(at), size));
}

MappedFile::~MappedFile() { ::munmap(const_cast<unsigned char*>(data_), size_); }

}  // namespace v1
}  // namespace harmonium
