#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/inference/exact_chain.hpp>

// The log likelihood and its gradient as sums along the chain x_1 → h_1 → x_2 → h_2 → …: Bengio & Delalleau (2009),
// section 3. Cut after t − 1 terms, the sum is contrastive divergence; what is left out is the remainder. For chains with
// halves; others throw CapabilityError.

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Equation 3.1, of one path: log P(x_1) = Σ_s terms[s] + remainder, in nats.
struct PathExpansion {
  std::vector<double>
      terms;  ///< log P(x_s | h_s) / P(h_s | x_s) + log P(h_s | x_{s+1}) / P(x_{s+1} | h_s), s = 1 … t − 1
  double remainder = 0.0;  ///< log P(x_t)
};
/// `observed` holds the numbers of x_1 … x_t, `latent` those of h_1 … h_{t−1}; any path will do, a drawn one or not.
PathExpansion expand_path(const ExactChain& chain, std::span<const std::uint64_t> observed,
                          std::span<const std::uint64_t> latent);

/// Equations 3.2 and 3.3: expectations over all paths from one x_1.
struct Expansion {
  std::vector<double> terms;  ///< E[terms of PathExpansion | x_1], in nats
  double remainder = 0.0;     ///< E[log P(X_t) | x_1]
  /// Rows 2s − 2 and 2s − 1 are E[∂log P(X_s | H_s)/∂θ | x_1] and E[∂log P(H_s | X_{s+1})/∂θ | x_1], s = 1 … t − 1; a
  /// column a parameter. Their sum is what CD-(t − 1) is in expectation (equation 4.1).
  Matrix<double> gradient_terms;
  std::vector<double> gradient_remainder;  ///< E[∂log P(X_t)/∂θ | x_1]
  double largest_deviation = 0.0;          ///< ε_t = max_x |P(X_t = x | x_1) − P(x)| (equation 3.4)
  double remainder_bound = 0.0;            ///< max_x,θ |∂log P(x)/∂θ| · N_x · ε_t (equation 3.5)
};
/// t ≥ 1; x_1 is row `row`.
Expansion expand(const ExactChain& chain, const Chains& rows, Index row, Index t);

/// What is left where the sum stops half a step later, as in section 5: Σ_{s<t} of the terms of 3.3, and then
/// E[∂log P(X_t | H_t)/∂θ | x_1]. With t = 1 it is equation 5.2. A column a parameter.
std::vector<double> half_step_truncation(const ExactChain& chain, const Chains& rows, Index row, Index t);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
