#include <harmonium/program/work/row_kinds.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_looked_at = 2000;  // at once: what is in memory does not grow with the data

/// A row of which an entry is missing, and what its sum takes.
struct HoledRow {
  Index row;
  bool few_ways;
  double operations;
};

std::vector<HoledRow> holed_rows(const EnergyModel& model, const Dataset& data, std::vector<double>& seen_share) {
  std::vector<HoledRow> holed;
  if (!data.has_missing()) return holed;
  seen_share.assign(data.cols(), 0.0);
  for (Index first = 0; first < data.rows(); first += rows_looked_at) {
    std::vector<Index> which(std::min(rows_looked_at, data.rows() - first));
    std::iota(which.begin(), which.end(), first);
    Matrix<std::uint8_t> seen = zeros<std::uint8_t>(which.size(), data.cols());
    data.seen(which, as_matrix(seen));
    const HeldMask held = seen_of(data, model.layout(), which);
    const std::vector<double> ways = completions(model.layout(), held, which.size());
    std::vector<double> operations(which.size(), 0.0);
    if (offers_free_energy(model)) operations = operations_of_each_seen(model, held, which.size());
    for (Index r = 0; r < which.size(); ++r) {
      const auto row = row_of(seen, r);
      for (Index c = 0; c < row.size(); ++c) seen_share[c] += row[c] / static_cast<double>(data.rows());
      if (std::ranges::count(row, 0) > 0) holed.push_back({which[r], ways[r] <= always_summed, operations[r]});
    }
  }
  if (holed.empty()) seen_share.clear();
  return holed;
}

/// How many of the rows are summed over: those of few ways come first, then they ascend by their operations.
std::ptrdiff_t num_summed(const EnergyModel& model, const std::vector<HoledRow>& holed) {
  double times = 1.0;
  if (offers_classification(model, label_layer))
    times += static_cast<double>(model.layout()[model.layout().find(label_layer)].columns());
  double operations = 0.0;
  std::ptrdiff_t n = 0;
  for (const HoledRow& row : holed) {
    operations += row.operations * times;
    if (!row.few_ways && !(operations <= most_operations_of_sums)) break;
    ++n;
  }
  return n;
}

}  // namespace

RowKinds kinds_of_rows(const EnergyModel& model, const Dataset& data, bool probability) {
  RowKinds kinds;
  std::vector<HoledRow> holed = holed_rows(model, data, kinds.seen);
  kinds.with_holes = holed.size();
  std::vector<bool> estimated(data.rows(), !offers_free_energy(model));
  if (offers_free_energy(model)) {
    std::ranges::stable_sort(holed, {}, [](const HoledRow& row) { return std::pair(!row.few_ways, row.operations); });
    const std::ptrdiff_t summed = probability ? num_summed(model, holed) : 0;
    for (auto row = holed.begin() + summed; row != holed.end(); ++row) estimated[row->row] = true;
  }
  for (Index r = 0; r < data.rows(); ++r) (estimated[r] ? kinds.estimated : kinds.exact).push_back(r);
  return kinds;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
