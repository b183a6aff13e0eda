#include <harmonium/cli/columns.hpp>

#include <algorithm>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/cli/width.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t gap = 2;

using Row = std::vector<std::string>;

void widen(std::vector<std::size_t>& widths, const Row& row) {
  widths.resize(std::max(widths.size(), row.size()));
  for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t w : widths) sum += w + gap;
  return sum - std::min(sum, gap);
}

std::string line_of(const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c)
    line += row[c] + std::string(widths[c] + gap - std::min(width_of(row[c]), widths[c]), ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The names down the side, rows of a section as columns, in as many pieces as they take.
std::string lying(const std::vector<std::string>& names, const TableSection& section, std::size_t width) {
  std::string text;
  for (std::size_t from = 0; from < section.rows.size();) {
    std::vector<Row> lines(names.size() + 1, Row(1));
    for (std::size_t n = 0; n < names.size(); ++n) lines[n + 1][0] = names[n];
    std::vector<std::size_t> widths;
    for (const Row& line : lines) widen(widths, line);
    for (const std::size_t first = from; from < section.rows.size(); ++from) {
      std::size_t own = 0;
      for (const std::string& cell : section.rows[from]) own = std::max(own, width_of(cell));
      if (from > first && total(widths) + gap + own > width) break;
      widths.push_back(own);
      for (std::size_t n = 0; n < lines.size(); ++n) lines[n].push_back(section.rows[from][n]);
    }
    if (!text.empty()) text += "\n";
    for (const Row& line : lines) text += line_of(line, widths);
  }
  return text;
}

Row head_row(const std::vector<std::string>& names) {
  Row head{""};
  for (const std::string& name : names) head.push_back(printable(name));
  return head;
}

std::vector<std::size_t> standing_widths(const Row& head, const std::vector<TableSection>& sections) {
  std::vector<std::size_t> widths;
  widen(widths, head);
  for (const TableSection& section : sections)
    for (const Row& row : section.rows) widen(widths, row);
  return widths;
}

}  // namespace

bool table_stands(const std::vector<std::string>& names, const std::vector<TableSection>& sections, std::size_t width) {
  return total(standing_widths(head_row(names), sections)) <= width;
}

std::string table_text(const std::vector<std::string>& names, const std::vector<TableSection>& sections,
                       std::size_t width) {
  const Row head = head_row(names);
  const std::vector<std::size_t> widths = standing_widths(head, sections);
  const bool stands = total(widths) <= width;
  std::string text = stands ? line_of(head, widths) : "";
  for (const TableSection& section : sections) {
    if (!section.title.empty()) text += (text.empty() ? "" : "\n") + section.title + "\n";
    if (stands)
      for (const Row& row : section.rows) text += line_of(row, widths);
    else text += lying({head.begin() + 1, head.end()}, section, width);
  }
  return text;
}

}  // namespace v1
}  // namespace harmonium
