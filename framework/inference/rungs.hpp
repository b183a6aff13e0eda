#pragma once

#include <span>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Row c·rungs + k stands at rung k, as a sampler of so many rungs wants chains to begin.
void assign_rungs(Chains& chains, Index rungs);

/// The rows at rung 0, the target's, in their order.
Chains rows_at_target(const Chains& chains, const Layout& layout);

/// Whether the rungs are other machines at the target's temperature, and not temperatures.
bool of_machines(const LadderReport& ladder);

/// out[r] = β_r E(x_r) + (1 − β_r) E₀(x_r), in nats, β_r = betas[r]; without a base, or at β = 1 throughout, β_r E(x_r).
void target_energy(const Target& target, std::span<const double> betas, ConstChainView x, std::span<double> out);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
