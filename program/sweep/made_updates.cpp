#include <harmonium/program/sweep/made_updates.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

std::optional<double> made_updates(const std::filesystem::path& run) {
  constexpr std::streamoff longest_end = 1 << 14;  // of some lines
  constexpr std::string_view key = "\"update\":";
  std::ifstream file(run / "metrics.jsonl", std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg(), from = std::max<std::streamoff>(0, size - longest_end);
  std::string end(static_cast<std::size_t>(std::max<std::streamoff>(0, size - from)), '\0');
  file.seekg(from);
  file.read(end.data(), static_cast<std::streamsize>(end.size()));
  end.resize(static_cast<std::size_t>(file.gcount()));
  const auto whole = end.rfind('\n');  // what is behind it is being written
  if (whole == std::string::npos) return {};
  const auto at = end.rfind(key, whole);
  double updates = 0.0;
  if (at == std::string::npos) return {};
  const auto read = std::from_chars(end.data() + at + key.size(), end.data() + whole, updates);
  if (read.ec != std::errc{}) return {};
  return updates;
}

}  // namespace v1
}  // namespace harmonium
