#pragma once

#include <vector>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of each row of `x`, of which the latent layers of the top machine have no meaning:
///   log w = Σ_{1 ≤ k < L} [log p_k(h_{k−1} | h_k) − log q_k(h_k | h_{k−1})] − F_L(h_{L−1}),
/// F_k being the free energy of the observed units of machine k. Where q_k is the posterior of machine k the term of a machine
/// is G_k(h_k) − F_k(h_{k−1}), G_k being the free energy of its latent units.
std::vector<double> stack_log_weights(const StackedMachines& stack, const Chains& x, const Executor& executor);

/// Of each row of the data, the mean of log w over `draws` draws of h ~ Q. Its expectation is a lower bound of
/// log Σ_h exp(−E(h_0, h)), so that less log Z it is one of log p(h_0) (Hinton, Osindero & Teh 2006, section 3.1;
/// Salakhutdinov & Murray 2008, section 5): E[w] = Σ_h exp(−E), and the logarithm is concave. `rows` holds the data in the
/// observed layers of the stack. `errors`, where not null, receives the standard error of each mean (0 of a single draw).
std::vector<double> stack_bounds(const StackedMachines& stack, const Chains& rows, Index draws,
                                 const Execution& execution, std::vector<double>* errors = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
