#include <harmonium/program/work/latent_given_seen.hpp>

#include <algorithm>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/latent_of_seen.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/unlabeled_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool sums_out_classes(const EnergyModel& model) {
  return offers_classification(model, label_layer) && posterior_factorizes(model);
}

}  // namespace

std::vector<bool> rows_with_holes(const EnergyModel& model, const HeldMask& seen, Index rows) {
  HeldMask told = seen;
  if (sums_out_classes(model)) told.hold(model.layout().find(label_layer));
  std::vector<bool> holes;
  for (const double ways : completions(model.layout(), told, rows)) holes.push_back(ways > 1.0);
  return holes;
}

Matrix<double> latent_given_seen(const EnergyModel& model, LayerId layer, const Chains& rows, const HeldMask& seen,
                                 const Execution& execution) {
  const Layout& layout = model.layout();
  const bool classes = sums_out_classes(model);
  const std::vector<bool> holes = rows_with_holes(model, seen, rows.size());
  std::vector<Index> complete, unlabeled, with_holes;
  for (Index r = 0; r < rows.size(); ++r) {
    const bool open = classes && !holds_unit(seen, layout.find(label_layer), r, 0);
    (holes[r] ? with_holes : open ? unlabeled : complete).push_back(r);
  }
  Matrix<double> found = zeros<double>(rows.size(), layout[layer].columns());
  const auto put = [&](const std::vector<Index>& which,
                       FunctionRef<Matrix<double>(const Chains& own, const HeldMask& held)> means_of) {
    if (which.empty()) return;
    Chains own(layout, which.size());
    for (Index i = 0; i < which.size(); ++i)
      own.copy_rows(layout.observed(), ConstChainView(rows, which[i], which[i] + 1), i);
    const Matrix<double> means = means_of(own, seen.of_rows(which));
    for (Index i = 0; i < which.size(); ++i) std::ranges::copy(row_of(means, i), row_of(found, which[i]).begin());
  };
  put(complete, [&](const Chains& own, const HeldMask&) {
    return latent_means_of_complete(model, layer, own, execution.executor);
  });
  put(unlabeled, [&](const Chains& own, const HeldMask&) {
    const Chains law = unlabeled_law(model, layer, own, false, 0, execution);
    const ConstMatrixRef means = law.read(layer);
    Matrix<double> values = zeros<double>(means.rows, means.cols);
    for (Index r = 0; r < means.rows; ++r)
      for (Index c = 0; c < means.cols; ++c) values(r, c) = static_cast<double>(means(r, c));
    return values;
  });
  put(with_holes, [&](const Chains& own, const HeldMask& held) {
    return latent_means_of_seen(model, layer, own, held, execution.executor);
  });
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
