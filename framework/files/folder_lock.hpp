#pragma once

#include <filesystem>
#include <memory>

namespace harmonium {
inline namespace v1 {

/// While one exists, no other process can have one on the same folder: they throw FileError, telling that another process
/// `does` something in it ("trains"). The system gives it back however the process ends. Some file systems offer no locks:
/// there it is left to the user.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, const char* does);
  /// Whether `folder` is still the folder that was locked: it may have been removed, or another one put in its place.
  bool holds(const std::filesystem::path& folder) const;

 private:
  std::shared_ptr<const int> descriptor_;
};

}  // namespace v1
}  // namespace harmonium
