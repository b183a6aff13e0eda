#pragma once

#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// A part of a table: its title, and rows of a label and a cell for each column.
struct TableSection {
  std::string title;
  std::vector<std::vector<std::string>> rows;
};

/// A table on lines of at most `width` columns of the terminal where that can be: `names` above the columns, each section
/// below its title; or, where they have no room beside one another, a row for each name and what was a row a column, with as
/// many of them beside one another as there is room for.
std::string table_text(const std::vector<std::string>& names, const std::vector<TableSection>& sections,
                       std::size_t width);
/// Whether the columns of such a table have room beside one another.
bool table_stands(const std::vector<std::string>& names, const std::vector<TableSection>& sections, std::size_t width);

}  // namespace v1
}  // namespace harmonium
