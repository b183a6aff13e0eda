#pragma once

#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of each row of the data, the mean over `draws` draws of
///   log w = −F_1(h_0) + Σ_{1 ≤ k < L} [G_k(h_k) − F_{k+1}(h_k)],   h_k ~ p_k(h_k | h_{k−1}),
/// F_k being the free energy of the observed units of machine k, and G_k that of its latent ones. Its expectation is a lower
/// bound of log Σ_h exp(−E(h_0, h)), so that less log Z it is one of log p(h_0) (Hinton, Osindero & Teh 2006, section 3.1;
/// Salakhutdinov & Murray 2008, section 5): E[w] = Σ_h exp(−E), and the logarithm is concave. `rows` holds the data in the
/// observed layers of the stack. `errors`, where not null, receives the standard error of each mean (0 of a single draw).
std::vector<double> stack_bounds(const StackedMachines& stack, const Chains& rows, Index draws,
                                 const Execution& execution, std::vector<double>* errors = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
