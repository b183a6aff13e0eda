#include <harmonium/framework/run/whole_data.hpp>

#include <numeric>

namespace harmonium {
inline namespace HARMONIUM_ABI {

WholeData::WholeData(const Dataset& data, const Layout& layout)
    : data_(data),
      layout_(layout),
      rows_(rows_of(data, layout, 0, data.rows(), 0)),
      weights_(data.rows(), 1.0 / static_cast<double>(data.rows())),
      marginals_(data.column_means()),
      indices_(data.rows()) {
  std::iota(indices_.begin(), indices_.end(), Index{0});
  for (const LayerId l : layout.ids()) rows_.read(l);  // Current as Real before threads ask.
}

std::vector<Real> WholeData::descent(GradientEstimator& estimator, const EnergyModel& model, const Execution& execution,
                                     GradientEstimator::Report* report) const {
  Posterior posterior;
  std::vector<Real> gradient(gradient_layout(model, estimator).size());
  GradientEstimator::Report own =
      estimator.estimate(model, {rows_, weights_, posterior, nullptr, marginals_, indices_}, gradient, execution);
  if (report) *report = std::move(own);
  return gradient;
}

std::vector<double> WholeData::estimate(GradientEstimator& estimator, const EnergyModel& model,
                                        const Execution& execution, GradientEstimator::Report* report) const {
  const std::vector<Real> all = descent(estimator, model, execution, report);
  std::vector<double> ascent(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(model.parameters().size()));
  for (double& g : ascent) g = -g;
  return ascent;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
