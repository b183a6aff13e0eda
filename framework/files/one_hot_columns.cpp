#include <harmonium/framework/files/one_hot_columns.hpp>

namespace harmonium {
inline namespace v1 {

std::vector<Index> one_hot_columns(const Table& table, Index first) {
  if (table.cols < first + 2) return {};
  std::vector<Index> ones(table.rows, table.cols);
  for (Index r = 0; r < table.rows; ++r) {
    for (Index c = first; c < table.cols; ++c) {
      const double value = table.at(r, c);
      if (value == 0.0) continue;
      if (value != 1.0 || ones[r] < table.cols) return {};
      ones[r] = c - first;
    }
    if (ones[r] == table.cols) return {};
  }
  return ones;
}

}  // namespace v1
}  // namespace harmonium
