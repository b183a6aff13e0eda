#include <harmonium/framework/files/probability_columns.hpp>

#include <cmath>

namespace harmonium {
inline namespace v1 {

std::vector<Index> likeliest_columns(const Table& table, Index first) {
  constexpr double rounding = 1e-6;  // of numbers in single precision, as of rows that a model is given
  if (table.cols < first + 2) return {};
  std::vector<Index> likeliest(table.rows, 0);
  for (Index r = 0; r < table.rows; ++r) {
    double sum = 0.0;
    for (Index c = first; c < table.cols; ++c) {
      const double p = table.at(r, c);
      if (!(p >= 0.0 && p <= 1.0)) return {};
      if (p > table.at(r, first + likeliest[r])) likeliest[r] = c - first;
      sum += p;
    }
    if (std::abs(sum - 1.0) >= rounding) return {};
  }
  return likeliest;
}

}  // namespace v1
}  // namespace harmonium
