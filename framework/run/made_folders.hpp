#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// Folders that were made for a run, taken away again where they are still empty and nobody kept them.
class MadeFolders {
 public:
  explicit MadeFolders(const std::filesystem::path& path) {
    std::error_code error;
    for (std::filesystem::path p = path; !p.empty() && !std::filesystem::exists(p, error) && p != p.parent_path();
         p = p.parent_path())
      made_.push_back(p);
  }
  ~MadeFolders() {
    std::error_code error;
    for (const std::filesystem::path& p : made_)
      std::filesystem::remove(p, error);  // which leaves a folder that holds anything
  }
  void keep() { made_.clear(); }

 private:
  std::vector<std::filesystem::path> made_;  // the deepest first
};

}  // namespace v1
}  // namespace harmonium
