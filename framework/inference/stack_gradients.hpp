#pragma once

#include <span>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a tensor is one of nothing but `layers`, so that it plays no part in the law of the others given these.
bool of_layers_alone(const ParameterBlock& block, LayerSet layers);

/// gradient += −Σ_r weights[r] · ∂/∂θ Σ_{k<L} log p_k(h_{k−1} | h_k) for rows `x` of a stack, of which the latent layers of the
/// top machine have no meaning. θ and `gradient` are laid out as the parameters of the stack.
void add_generative_gradient(const StackedMachines& stack, ConstChainView x, std::span<const double> weights,
                             std::span<Real> gradient, const Executor& executor);

/// gradient += −Σ_r weights[r] · ∂/∂θ log Q(h_1, …, h_{L−1} | h_0), Q being `recognition` of the stack; otherwise as above.
void add_recognition_gradient(const StackedMachines& stack, ConstChainView x, std::span<const double> weights,
                              std::span<Real> gradient, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
