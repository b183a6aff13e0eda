#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/inference/posterior.hpp>

/// Conditional laws of some layers given the others, row by row, and how they move with the parameters. Internal to this
/// folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// log p(the others | `given`) of each row, as both are there: −E + F(given).
std::vector<double> log_conditionals(const EnergyModel& model, const Chains& rows, LayerSet given,
                                     const Executor& executor);

/// gradient += Σ weights · ∂log p(`free` | the others)/∂θ = Σ weights · (E[∂E/∂θ | the others] − ∂E/∂θ).
void add_slope(const EnergyModel& model, const Chains& rows, LayerSet free, std::span<const double> weights,
               std::span<Real> gradient, const Executor& executor);

/// The natural parameters of a layer whose units are independent given the rest of each row.
UnitBuffer fields_of(const EnergyModel& model, LayerId layer, const Chains& rows, const Executor& executor);

/// The move a of the means of a layer's units when their linear parameters move along D, and the move of the means by −½ of
/// each curvature, weighed by D: Cov(h, h) D and Cov(h², h) D, unit by unit, in the places of D and `by_curvature`.
void respond(const UnitType& unit, ConstFields fields, MatrixRef direction, MatrixRef by_curvature);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
