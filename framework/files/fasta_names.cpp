#include <harmonium/framework/files/fasta_names.hpp>

#include <optional>

#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace v1 {

std::string_view fasta_name(std::string_view line) { return line.substr(1, line.find_first_of(" \t") - 1); }

std::vector<std::string> fasta_names(const std::filesystem::path& path) {
  std::vector<std::string> names;
  LineReader lines(path);
  while (const std::optional<std::string_view> line = lines.next())
    if (line->starts_with('>')) names.emplace_back(fasta_name(*line));
  return names;
}

}  // namespace v1
}  // namespace harmonium
