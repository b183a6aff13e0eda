#pragma once

#include <vector>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// D = E − E₀ of each row, in nats, E₀ being that of the target's base, 0 without one: the density at β is
/// exp(−β D − E₀) but for a constant. Throws NumericalError where one is no number.
std::vector<double> energy_differences(const Target& target, const Chains& chains, const Executor& executor);

/// For the checks of those who will ask for them: throws what a model throws that has conditionals and no energy.
void check_energy(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
