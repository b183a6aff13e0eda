#include <harmonium/framework/files/mapped_file.hpp>

#include <cerrno>
#include <cstring>

#include <sys/mman.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>

namespace harmonium {
inline namespace v1 {

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const RegularFile file(path);
  const std::uint64_t size = file.size();
  void* const at = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0) : MAP_FAILED;
  if (at == MAP_FAILED)
    throw FileError(
        fmt::format("{}: cannot be mapped into memory: {}", path.string(), std::strerror(size > 0 ? errno : EINVAL)));
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const unsigned char*>(at), size));
}

MappedFile::~MappedFile() { ::munmap(const_cast<unsigned char*>(data_), size_); }

}  // namespace v1
}  // namespace harmonium
