#include <harmonium/program/work/rows_as_given.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double unseen = std::numeric_limits<double>::quiet_NaN();

/// Which columns were seen of a row.
std::vector<std::uint8_t> seen_columns(const Dataset& data, Index row) {
  std::vector<std::uint8_t> seen(data.cols(), 1);
  if (data.has_missing()) data.seen({&row, 1}, {seen.data(), 1, seen.size(), seen.size()});
  return seen;
}

/// The columns of the class, of which there may be none.
struct LabelColumns {
  Index begin, count;

  explicit LabelColumns(const Layout& layout) : begin(label_place(layout).value_or(0)), count(label_columns(layout)) {}
  bool has(Index column) const { return column >= begin && column < begin + count; }
};

std::vector<double> row_as_given(const Dataset& data, const DataUnits& units, const LabelColumns& labels, Index row) {
  std::vector<double> x(data.cols());
  data.fetch<double>(row, 0, {x.data(), 1, x.size(), x.size()});
  const std::vector<std::uint8_t> seen = seen_columns(data, row);
  double of_class = unseen;
  for (Index k = 0; k < labels.count; ++k)
    if (seen[labels.begin + k] != 0 && x[labels.begin + k] == 1.0) of_class = static_cast<double>(k);
  units.undo(std::span(x));
  std::vector<double> given;
  for (Index c = 0; c < x.size(); ++c)
    if (!labels.has(c)) given.push_back(seen[c] != 0 ? x[c] : unseen);
  given.push_back(of_class);
  return given;
}

std::vector<double> jacobians(const Dataset& data, const DataUnits& units) {
  if (!data.has_missing()) return {units.log_jacobian()};
  std::vector<double> of_rows;
  for (Index r = 0; r < data.rows(); ++r) {
    const std::vector<std::uint8_t> seen = seen_columns(data, r);
    of_rows.push_back(units.log_jacobian(std::vector<double>(seen.begin(), seen.end())));
  }
  return of_rows;
}

}  // namespace

JudgedRows rows_as_given(std::string words, RowTable table, const Dataset& data, const DataUnits& units,
                         const Layout& layout, const std::vector<std::string>& names) {
  const LabelColumns labels(layout);
  JudgedRows rows{std::move(words), std::move(table), jacobians(data, units)};
  rows.drawn = draws_bits(data);
  rows.columns = data.cols() - labels.count;
  for (Index c = 0; c < data.cols(); ++c) {
    if (labels.has(c)) continue;
    rows.column_names.push_back(names[c]);
    rows.densities.push_back(units.has_density(c));
  }
  rows.values = [data, units, labels](Index first, Index count) {
    std::vector<double> values;
    for (Index r = first; r < first + count; ++r) {
      const std::vector<double> row = row_as_given(data, units, labels, r);
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  };
  return rows;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
