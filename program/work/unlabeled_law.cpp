#include <harmonium/program/work/unlabeled_law.hpp>

#include <algorithm>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/framework/training/fitted_data.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void set_labels(Chains& rows, LayerId labels, const std::vector<Index>& classes) {
  const MatrixRef x = rows.write(labels);
  for (Index r = 0; r < x.rows; ++r) {
    std::fill_n(x.row(r), x.cols, Real{0});
    x(r, classes[r]) = Real{1};
  }
}

std::vector<Index> drawn_classes(const Matrix<double>& p, const DrawBlock& words) {
  std::vector<Index> classes(p.shape(0));
  for (Index r = 0; r < classes.size(); ++r) {
    double rest = uniform_f64(words.word(r, 0));
    while (classes[r] + 1 < p.shape(1) && rest >= p(r, classes[r])) rest -= p(r, classes[r]++);
  }
  return classes;
}

Matrix<double> probabilities(const EnergyModel& model, const Chains& rows, const Executor& executor) {
  return class_probabilities(model, label_layer, rows, HeldMask(model.layout().observed()), 1.0, executor);
}

}  // namespace

void draw_labels(const EnergyModel& model, Chains& rows, std::uint32_t first_chain, const Execution& execution) {
  const LayerId labels = model.layout().find(label_layer);
  const DrawBlock words = DrawBlock::of(execution.random.child("label"), first_chain, 0, labels);
  set_labels(rows, labels, drawn_classes(probabilities(model, rows, execution.executor), words));
}

Chains unlabeled_law(const EnergyModel& model, LayerId layer, const Chains& rows, bool draws, std::uint32_t first_chain,
                     const Execution& execution) {
  const LayerId labels = model.layout().find(label_layer);
  Chains labeled = rows, found(model.layout(), rows.size(), first_chain);
  if (draws) {
    draw_labels(model, labeled, first_chain, execution);
    Posterior posterior;
    posterior.sample(model, labeled, execution.random, found, execution.executor);
    return found;
  }
  const Matrix<double> p = probabilities(model, rows, execution.executor);
  Matrix<double> mean = zeros<double>(rows.size(), model.layout()[layer].columns());
  for (Index y = 0; y < p.shape(1); ++y) {
    set_labels(labeled, labels, std::vector<Index>(rows.size(), y));
    Posterior posterior;
    const MatrixView<const Real> given = posterior.moments(model, labeled, execution.executor).mean[layer];
    for (Index r = 0; r < given.rows; ++r)
      for (Index c = 0; c < given.cols; ++c) mean(r, c) += p(r, y) * static_cast<double>(given(r, c));
  }
  const MatrixRef out = found.write(layer);
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = 0; c < out.cols; ++c) out(r, c) = static_cast<Real>(mean(r, c));
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
