#pragma once

#include <optional>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// Couplings of observed units by way of latent ones h that are normal, with precisions Γ, and independent of each other given the
// observed units x: integrating
//   E = −aᵀx − ½ xᵀLx − bᵀh − xᵀWh + ½ hᵀΓh
// over h leaves −(a + W Γ⁻¹ b)ᵀx − ½ xᵀ(L + W Γ⁻¹ Wᵀ)x and a constant, at every temperature: pairs of units, and no more of them
// (Hopfield networks: Barra, Bernacchia, Santucci & Contucci 2012).

/// The first latent layer that is no such one: its units are not normal, or coupled with latent ones, or the energy is more than
/// what the roles of its tensors say. Nothing where all are.
std::optional<LayerId> latent_of_other_kind(const EnergyModel& model);

/// W Γ⁻¹ Wᵀ of an observed layer, columns × columns, where there is no latent layer of another kind. Entries of one unit with
/// itself are 0, as they are no couplings.
Matrix<double> couplings_by_latent(const EnergyModel& model, LayerId layer);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
