#include <harmonium/program/work/gradients_of_parts.hpp>

#include <algorithm>
#include <utility>

#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/free_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void GradientsOfParts::begin(const Dataset& train, std::span<const Real> own) {
  estimator_.check(model_);
  estimator_.begin(model_, outline_of(train, model_.layout()));
  estimator_.start(model_, execution_);
  if (const std::span<Real> values = estimator_.own_values(); values.size() == own.size())
    std::ranges::copy(own, values.begin());
}

void GradientsOfParts::each(const Dataset& train, Index parts,
                            const std::function<void(const GradientOfPart&, Index rows)>& take) {
  for (Index p = 0; p < parts; ++p) {
    execution_.executor.check_stop();
    std::vector<Index> rows;
    for (Index r = p; r < train.rows(); r += parts) rows.push_back(r);
    const Index count = rows.size();
    take(of(train.part(std::move(rows))), count);
  }
}

GradientOfPart GradientsOfParts::of(const Dataset& part) {
  const WholeData whole(part, model_.layout());
  if (objective_ == Objective::drawn) return mean_of_draws(whole);
  if (objective_ != Objective::likelihood) return {estimated(whole)};
  std::vector<double> g = of_data(part.rows(), whole.rows());
  if (!with_model_) return {std::move(g)};
  if (of_model_.empty()) {
    of_model_ = estimated(whole);
    for (Index k = 0; k < g.size(); ++k) of_model_[k] -= g[k];
  }
  for (Index k = 0; k < g.size(); ++k) g[k] += of_model_[k];
  return {std::move(g)};
}

GradientOfPart GradientsOfParts::mean_of_draws(const WholeData& whole) {
  GradientOfPart found;
  std::vector<bool> repeated;
  for (Index n = 0; n < repeats_; ++n) {
    const std::vector<double> g = estimated(whole);
    found.mean.resize(g.size(), 0.0);
    if (n == 0) repeated = repeated_entries(model_.parameter_layout(), g.size());
    for (Index k = 0; k < g.size(); ++k) {
      const double change = g[k] - found.mean[k];
      found.mean[k] += change / static_cast<double>(n + 1);
      if (!repeated[k]) found.variance += change * (g[k] - found.mean[k]) / static_cast<double>(repeats_ - 1);
    }
  }
  return found;
}

std::vector<double> GradientsOfParts::estimated(const WholeData& whole) {
  const std::vector<Real> g = whole.descent(estimator_, model_, execution_);
  return {g.begin(), g.end()};
}

std::vector<double> GradientsOfParts::of_data(Index num_rows, const Chains& rows) const {
  const std::vector<double> weights(num_rows, 1.0 / static_cast<double>(num_rows));
  std::vector<Real> sum(model_.parameters().size(), Real{0});
  model_.add_gradient(rows.real(), weights, sum, execution_.executor);
  return {sum.begin(), sum.end()};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
