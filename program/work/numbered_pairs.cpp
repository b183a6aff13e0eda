#include <harmonium/program/work/numbered_pairs.hpp>

#include <set>
#include <utility>
#include <vector>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool begins_with_pairs(const Dataset& data, std::span<const ColumnSurvey> columns) {
  if (data.cols() < 3 || data.rows() < 8 || !columns[0].whole || !columns[1].whole) return false;
  std::vector<double> row(data.cols());
  std::set<std::pair<double, double>> pairs;
  std::set<double> first, second, either;
  bool ascending = true;
  for (Index r = 0; r < data.rows(); ++r) {
    data.fetch(r, 0, MatrixView<double>{row.data(), 1, data.cols(), data.cols()});
    if (!pairs.emplace(row[0], row[1]).second) return false;
    ascending &= row[0] < row[1];
    first.insert(row[0]);
    second.insert(row[1]);
    either.insert({row[0], row[1]});
  }
  const Index n = either.size();
  if (ascending) return pairs.size() == n * (n - 1) / 2;
  return first.size() > 2 && second.size() > 2 && pairs.size() == first.size() * second.size();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
