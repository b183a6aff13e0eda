#pragma once

#include <span>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a model is of sites alone, all of the same q states, one column for each, whose tensors are the same after any
/// permutation of the states: its biases do not tell states apart, and its couplings are u + v δ(s, t).
bool treats_states_alike(const EnergyModel& model);

/// Whether some states drawn at random have the same energy after `change`, but for rounding and `slack`: a plugin's energy may
/// have terms that no parameter tells of.
bool keeps_energies(const EnergyModel& model, FunctionRef<void(Chains&)> change, double slack = 0.0);

/// Moves each site from state s to `to`[s].
void permute_states(const Layout& layout, std::span<const Index> to, Chains& states);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
