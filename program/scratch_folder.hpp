#pragma once

#include <filesystem>

#include <harmonium/framework/core/unfinished.hpp>

namespace harmonium {
inline namespace v1 {

/// A folder of the system's for files that last as long as this does. A signal is heard once it is gone.
class ScratchSpace {
 public:
  /// Throws FileError.
  ScratchSpace();
  ~ScratchSpace();
  ScratchSpace(const ScratchSpace&) = delete;
  ScratchSpace& operator=(const ScratchSpace&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  UnfinishedWork unfinished_;
  std::filesystem::path path_;
};

}  // namespace v1
}  // namespace harmonium
