#include <harmonium/framework/files/leak_file.hpp>

#include <fstream>

namespace harmonium {
inline namespace v1 {

std::string leak_in(const std::filesystem::path& folder) {
  std::ifstream file(folder / leak_file);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace v1
}  // namespace harmonium
