#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include <zlib.h>

namespace harmonium::testing {

/// An empty folder of its own, removed at the end of the scope, and what tests do with files in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "harmonium-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no scratch folder");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    const std::filesystem::path to = path_ / name;
    std::ofstream(to, std::ios::binary) << content;
    return to;
  }
  std::filesystem::path write_gzipped(std::string_view name, std::string_view content) const {
    const std::filesystem::path to = path_ / name;
    const gzFile file = ::gzopen(to.c_str(), "wb");
    ::gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    ::gzclose(file);
    return to;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The message of the E that `body` throws; empty where it throws none, which no expectation of a message matches.
template <class E, class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const E& e) {
    return e.what();
  }
  return {};
}

}  // namespace harmonium::testing
