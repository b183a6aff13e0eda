#pragma once

#include <cstdint>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a model is as likely in x as after a flip of all units of all layers at once. A flip takes spins and levels about 0
/// from x to −x, other units of two states from one to the other, as bits from x to 1 − x; of sites, which have a column a state,
/// it is any permutation of the q states, the same at every site.
///
/// What a flip changes, such as the magnetization, or the share of one state, then has the mean that symmetry gives it, such as 0
/// or 1/q; and where a sampler goes by energies alone, which of the flips of x chains are in tells nothing of what is the same in
/// all of them: its series are those of a chain of such sets, as of pairs {x, −x}, however seldom chains turn over whole.
enum class FlipSymmetry : std::uint8_t { none, exact };

/// By its parameters and its units, couplings, curvatures and biases being all there is. Exact of units of finitely many values
/// that lie symmetrically about c, 0 unless they are two, where c has no field: b + Σ W c − γ c = 0 of each unit, which of bits
/// is b = −½ Σ W, but for rounding, and of units about 0 is b = 0. Exact of sites of the same states in all layers, where biases
/// are the same of all states and couplings u + v δ(s, t). A plugin's energy is besides asked of some states and their flips.
FlipSymmetry flip_symmetry_of(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
