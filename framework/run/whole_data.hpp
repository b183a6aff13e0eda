#pragma once

#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/training/batches.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The rows of a data set as one batch, all of one weight, for estimates of the gradient. May be used by many threads.
class WholeData {
 public:
  /// Both must outlive it.
  WholeData(const Dataset& data, const Layout& layout);
  const Chains& rows() const { return rows_; }
  /// What an estimator of them begins with.
  DataOutline outline() const { return outline_of(data_, layout_); }
  /// What an estimator writes of them: for descent, of the parameters and then of its own.
  std::vector<Real> descent(GradientEstimator& estimator, const EnergyModel& model, const Execution& execution,
                            GradientEstimator::Report* report = nullptr) const;
  /// The direction of ascent of the mean log likelihood; `report`, where given, receives what the estimator says of it.
  std::vector<double> estimate(GradientEstimator& estimator, const EnergyModel& model, const Execution& execution,
                               GradientEstimator::Report* report = nullptr) const;

 private:
  const Dataset& data_;
  const Layout& layout_;
  Chains rows_;
  std::vector<double> weights_, marginals_;
  std::vector<Index> indices_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
