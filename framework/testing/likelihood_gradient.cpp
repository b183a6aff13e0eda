#include <harmonium/framework/testing/likelihood_gradient.hpp>

#include <algorithm>

#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/framework/testing/mean_changes.hpp>
#include <harmonium/framework/testing/reference_rows.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr Index row_copies = 40, row_snapshots = 10;

/// Rows of the posterior: a few for each of the batch.
Chains start_of_posterior(const Layout& layout, const Chains& batch) {
  Chains start = random_rows(layout, row_copies * batch.size(), 92);
  for (const LayerId l : layout.ids()) {
    if (!layout.observed().contains(l)) continue;
    const ConstMatrixRef from = batch.read(l);
    const MatrixRef to = start.write(l);
    for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(r % batch.size()), from.cols, to.row(r));
  }
  return start;
}

LikelihoodGradient mean_of_gradients(const std::vector<std::vector<Real>>& gradients) {
  const Index n = gradients[0].size();
  LikelihoodGradient of{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (const auto& gradient : gradients)
    for (Index k = 0; k < n; ++k) of.gradient[k] += static_cast<double>(gradient[k]) / row_snapshots;
  for (const auto& gradient : gradients)
    for (Index k = 0; k < n; ++k) {
      const double off = static_cast<double>(gradient[k]) - of.gradient[k];
      of.variance[k] += off * off / (row_snapshots * (row_snapshots - 1.0));
    }
  return of;
}

}  // namespace

LikelihoodGradient LikelihoodGradient::exact(const EnergyModel& model, const SmallBatch& batch) {
  const Layout& layout = model.layout();
  const StateSpace space(layout);
  const std::vector<double> energy = model_energies(model, space);
  const Law law = law_of(energy);
  // The weight of a state in the gradient: its probability given the observed units, less its own.
  std::vector<double> weight(space.size());
  for (std::size_t s = 0; s < space.size(); ++s) weight[s] = -law[s];
  const auto observed = [&](std::size_t s) {
    std::size_t part = 0;
    for (std::size_t u = 0; u < space.num_units(); ++u)
      if (layout[space.layer_of(u)].role == Role::observed) part += space.digit(s, u) * space.stride(u);
    return part;
  };
  std::vector<double> mass(space.size(), 0.0);
  for (std::size_t s = 0; s < space.size(); ++s) mass[observed(s)] += law[s];
  std::vector<double> data(space.size(), 0.0);
  const std::vector<std::size_t> rows = space.read(batch.rows());
  for (Index r = 0; r < rows.size(); ++r) data[observed(rows[r])] += batch.weights()[r];
  for (std::size_t s = 0; s < space.size(); ++s) weight[s] += data[observed(s)] * law[s] / mass[observed(s)];

  std::vector<Real> sum(model.parameters().size(), Real{0});
  model.add_gradient(space.rows(), weight, sum, Executor(1));
  return {{sum.begin(), sum.end()}, std::vector<double>(sum.size(), 0.0)};
}

LikelihoodGradient LikelihoodGradient::of_rows(const EnergyModel& model, const SmallBatch& batch,
                                               std::string& why_not) {
  const Layout& layout = model.layout();
  const Index num = batch.rows().size();
  ReferenceRows positive(model, 1.0, HeldMask(layout.observed()), start_of_posterior(layout, batch.rows()), 93);
  ReferenceRows negative(model, 1.0, {}, random_rows(layout, row_copies * num, 94), 95);
  std::vector<double> up(row_copies * num);
  for (Index r = 0; r < up.size(); ++r) up[r] = batch.weights()[r % num] / static_cast<double>(row_copies);
  const std::vector<double> down(row_copies * num, -1.0 / static_cast<double>(row_copies * num));
  for (const Index sweeps : ReferenceRows::burn_ins) {
    positive.sweep(sweeps);
    negative.sweep(sweeps);
    MeanChanges positive_drift(model, row_copies * num), negative_drift(model, row_copies * num);
    std::vector<std::vector<Real>> gradients;
    for (Index i = 0; i < row_snapshots; ++i) {
      std::vector<Real>& gradient = gradients.emplace_back(model.parameters().size(), Real{0});
      model.add_gradient(positive.rows(), up, gradient, Executor(1));
      model.add_gradient(negative.rows(), down, gradient, Executor(1));
      const Chains positive_before = positive.rows(), negative_before = negative.rows();
      positive.sweep(ReferenceRows::between);
      negative.sweep(ReferenceRows::between);
      positive_drift.add(positive_before, positive.rows());
      negative_drift.add(negative_before, negative.rows());
    }
    why_not = positive.complaint(positive_drift);
    if (why_not.empty()) why_not = negative.complaint(negative_drift);
    if (why_not.empty()) return mean_of_gradients(gradients);
  }
  return {};
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
