#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/gradients_of_parts.hpp>
#include <harmonium/program/work/pairwise_moments.hpp>
#include <harmonium/program/work/zero_sum_directions.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The moments of any model and objective along directions in its numbers, by the gradients that the estimator finds; the curvature by
/// their differences. Throws CapabilityError for too many directions.
RowMoments moments_by_estimator(EnergyModel& model, GradientsOfParts& gradients, const Dataset& train,
                                const std::vector<Places>& numbers, const std::vector<Direction>& directions,
                                bool of_likelihood, const Execution& execution);

struct ErrorsAsked {
  bool zero_sum = false;           ///< of the parameters in the zero-sum gauge
  std::vector<std::string> names;  ///< of the observed columns, for messages
};

/// What chance leaves of the parameters that rows are drawn by.
struct ParameterErrors {
  std::vector<double> errors;  ///< one standard error of each entry of θ; 0 of an entry that is no number of its own
  std::string how;             ///< of which law, in a phrase
  std::vector<std::string> endless;  ///< couplings whose optimum is not finite, by the pairs of states that no row has
};

/// Standard errors of the parameters of a model without latent units that was trained to the optimum of what the estimator of `config` follows on
/// the rows `train`, independent ones. With S the covariance of a row's gradient and H the curvature of the mean, the covariance of an
/// M-estimator is H⁻¹SH⁻¹/n (P. J. Huber, 1967), H by differences of the gradient; and of a likelihood, where H = S at the law
/// of the rows, S⁻¹/n (Fisher). Of bits drawn anew in each epoch, of regularizers and latent units they say nothing.
///
/// Couplings and biases of units whose columns are their states have a gauge, and H is singular. The parameters θ₀ of the zero-sum gauge
/// (Ekeberg et al. 2013) are θ₀ = Bφ, B being an orthonormal basis of that subspace (zero_sum_directions), and φ has no gauge:
///   cov θ₀ = B (BᵀHB)⁻¹ (BᵀSB) (BᵀHB)⁻¹ Bᵀ / n.
/// Of any other parametrization ψ without gauge, as that of the lattice gas, which leaves out one state of each unit (Morcos et al. 2011),
/// θ₀ is a linear function, and its covariance the same.
///
/// Throws CapabilityError where the model or the training has none; DataError where rows are too few (four a parameter of a likelihood,
/// else those of rows_for_errors), weighed or incomplete; NumericalError where they do not tell all parameters, with the names of units and states
/// that they never have. `model` is as before when it returns.
ParameterErrors parameter_errors(EnergyModel& model, const Dataset& train, const Value& config,
                                 const Registries& registries, const Execution& execution, const ErrorsAsked& asked);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
