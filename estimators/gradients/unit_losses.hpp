#pragma once

#include <span>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a loss makes of one unit: `ratios` holds a_s = F(x) − F(x with the unit in state s), the log of how much more
/// probable that neighbor is than the row; `own` is the state that the unit is in. Returns the unit's part ℓ of the loss
/// and leaves ∂ℓ/∂a_s in the place of a_s.
using UnitLoss = double (*)(std::span<double> ratios, Index own);

/// ℓ = log Σ_s e^{a_s} = −log p(x_u | the others) (Besag 1975).
double pseudo_likelihood_loss(std::span<double> ratios, Index own);
/// ℓ = ½ Σ_s (p_s − [s = x_u])², p_s ∝ e^{a_s}; of two states (1 − p(x_u | the others))² (Hyvärinen 2007, equation 6).
double ratio_matching_loss(std::span<double> ratios, Index own);
/// ℓ = Σ_(s ≠ x_u) e^{½ a_s} (Sohl-Dickstein, Battaglino & DeWeese 2011, equation 11).
double probability_flow_loss(std::span<double> ratios, Index own);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
