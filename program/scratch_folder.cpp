#include <harmonium/program/scratch_folder.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

ScratchSpace::ScratchSpace() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "harmonium-XXXXXX").string();
  if (error || !::mkdtemp(name.data()))
    throw FileError(fmt::format("cannot create a folder {}: {}. Set TMPDIR to a folder that can be written to.", name,
                                error ? error.message() : std::strerror(errno)));
  path_ = name;
}

ScratchSpace::~ScratchSpace() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace v1
}  // namespace harmonium
