#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/gradients_of_parts.hpp>
#include <harmonium/program/work/pairwise_moments.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The moments of any model and objective, by the gradients that the estimator finds; the curvature by their differences. Throws
/// CapabilityError for too many parameters.
RowMoments moments_by_estimator(EnergyModel& model, GradientsOfParts& gradients, const Dataset& train,
                                const std::vector<Places>& numbers, bool of_likelihood, const Execution& execution);

/// What chance leaves of the parameters that rows are drawn by.
struct ParameterErrors {
  std::vector<double> errors;  ///< one standard error of each entry of θ; 0 of an entry that is no number of its own
  std::string how;             ///< of which law, in a phrase
};

/// Standard errors of the parameters of a model without latent units that was trained to the optimum of what the estimator of `config` follows on
/// the rows `train`, independent ones. With S the covariance of a row's gradient and H the curvature of the mean, the covariance of an
/// M-estimator is H⁻¹SH⁻¹/n (P. J. Huber, 1967), H by differences of the gradient; and of a likelihood, where H = S at the law
/// of the rows, S⁻¹/n (Fisher). Of bits drawn anew in each epoch, of regularizers and latent units they say nothing.
///
/// Throws CapabilityError where the model or the training has none; DataError where rows are too few (four a parameter of a likelihood,
/// else four a column), weighed or incomplete; NumericalError where they do not tell all parameters. `model` is as before when it returns.
ParameterErrors parameter_errors(EnergyModel& model, const Dataset& train, const Value& config,
                                 const Registries& registries, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
