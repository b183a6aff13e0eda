#pragma once

#include <vector>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// D = E − E₀ of each row, in nats, E₀ being that of the target's base, 0 without one: the density at β is
/// exp(−β D − E₀) but for a constant. Throws NumericalError where one is no number.
std::vector<double> energy_differences(const Target& target, const Chains& chains, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
