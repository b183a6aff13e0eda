#include <harmonium/program/observation_table.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/width.hpp>

namespace harmonium {
inline namespace v1 {

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 8);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]) + (c > 0 ? 2 : 0));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += fmt::format("{:>{}}", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace v1
}  // namespace harmonium
