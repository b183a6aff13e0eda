#pragma once

#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// Rows of as many cells as the first has, which are the headings, each column to the right; the first column 8 wide at least.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace v1
}  // namespace harmonium
