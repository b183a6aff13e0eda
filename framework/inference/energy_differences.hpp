#pragma once

#include <vector>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// D = E − E₀ of each row, in nats, E₀ being that of the target's base, 0 without one: the density at β is
/// exp(−β D − E₀) but for a constant. Throws NumericalError where one is no number.
std::vector<double> energy_differences(const Target& target, const Chains& chains, const Executor& executor);

/// One transition of every chain by `sampler`, and D of each row after it, by what the sampler drew the last units from where that
/// tells (LastMeans::products): there the fields are rounded as draws take them, to single precision in single precision.
std::vector<double> differences_after(Sampler& sampler, const Target& target, Chains& chains, const Execution& moves);

/// D of each row by the fields of layers that are independent of each other given all others, where the model's kernel tells the energy
/// from them: a product as draws take it (ProductWay) in place of one in double, rounded likewise. Elsewhere that of energy_differences.
std::vector<double> differences_by_fields(const Target& target, Chains& chains, const Executor& executor);

/// For the checks of those who will ask for them: throws what a model throws that has conditionals and no energy.
void check_energy(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
