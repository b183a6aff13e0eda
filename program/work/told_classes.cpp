#include <harmonium/program/work/told_classes.hpp>

#include <algorithm>
#include <span>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/run/unseen_classes.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Dataset with_told_classes(const EnergyModel& model, const Dataset& data, const Executor& executor) {
  constexpr Index piece = 2000;
  const Layout& layout = model.layout();
  const Dataset open = fitted(with_unseen_classes(data, layout), layout);
  const HeldMask rest(layout.observed());
  std::vector<Index> classes;
  for (Index first = 0; first < open.rows(); first += piece) {
    executor.check_stop();
    const Chains rows = rows_of(open, layout, first, std::min(piece, open.rows() - first), 0);
    const Matrix<double> p = class_probabilities(model, label_layer, rows, rest, 1.0, executor);
    for (Index r = 0; r < rows.size(); ++r) {
      const std::span<const double> of_row = row_of(p, r);
      classes.push_back(static_cast<Index>(std::ranges::max_element(of_row) - of_row.begin()));
    }
  }
  return fitted(with_class_columns(data, layout, classes), layout);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
