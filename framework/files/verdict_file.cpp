#include <harmonium/framework/files/verdict_file.hpp>

#include <fstream>

namespace harmonium {
inline namespace v1 {

std::string verdict_in(const std::filesystem::path& folder) {
  std::ifstream file(folder / "verdict.txt");
  std::string line;
  std::getline(file, line);
  return line;
}

std::string verdict_words(const std::string& line) {
  for (const char* words : {"mixed", "not mixed", "not decided"})
    if (line.starts_with(words)) return words;
  return line.substr(0, line.find(','));  // none, as chains ran away
}

}  // namespace v1
}  // namespace harmonium
