#pragma once

#include <functional>
#include <span>
#include <vector>

#include <harmonium/framework/run/whole_data.hpp>
#include <harmonium/program/work/gradient_left.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the gradient of a part of the rows is.
struct GradientOfPart {
  std::vector<double> mean;  ///< over estimates
  double variance = 0.0;     ///< of one of them, summed over the parameters; 0 of an objective without draws
};

/// Gradients of parts of the rows, each as their mean.
class GradientsOfParts {
 public:
  /// All must outlive it. Of each part `repeats` estimates are made, two or more of an objective that draws.
  GradientsOfParts(const EnergyModel& model, GradientEstimator& estimator, Objective objective, Index repeats,
                   const Execution& execution)
      : model_(model), estimator_(estimator), objective_(objective), repeats_(repeats), execution_(execution) {}

  /// What draws are made after is that of all rows. `own`: the values of the estimator's own parameters. Throws CapabilityError where
  /// the estimator does not serve.
  void begin(const Dataset& train, std::span<const Real> own);
  /// Of the likelihood: without the model's side, a sum over all states, which is the same of all parts.
  void leave_model_side() { with_model_ = false; }
  /// Of each of so many parts of the rows, which are spread over them, so that their order is not seen.
  void each(const Dataset& train, Index parts, const std::function<void(const GradientOfPart&, Index rows)>& take);

  /// One estimate of all rows of the set.
  std::vector<double> estimated(const WholeData& whole);

 private:
  GradientOfPart of(const Dataset& part);
  GradientOfPart mean_of_draws(const WholeData& whole);
  std::vector<double> of_data(Index num_rows, const Chains& rows) const;

  const EnergyModel& model_;
  GradientEstimator& estimator_;
  Objective objective_;
  Index repeats_;
  const Execution& execution_;
  bool with_model_ = true;
  std::vector<double> of_model_;  ///< of the likelihood, the model's side: the same of all parts, over all states
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
