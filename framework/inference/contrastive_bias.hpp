#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/inference/exact_chain.hpp>

// How far the expectation of contrastive divergence is from the gradient that it stands for, and what can be said of that
// beforehand: Bengio & Delalleau, Justifying and generalizing contrastive divergence, Neural Computation 21 (2009),
// section 4. Rows are the data x_1; gradients are directions of ascent of log P(x_1); all is exact but for rounding.

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Δ(x_1) = ∂log P(x_1)/∂θ (equation 4.8): a row a row of `rows`, a column a parameter.
Matrix<double> log_likelihood_gradients(const ExactChain& chain, const Chains& rows);
/// Δ_k(x_1) = −∂F(x_1)/∂θ + E[∂F(X_{k+1})/∂θ | x_1] (equation 4.8): what CD-k is in expectation.
Matrix<double> expected_contrastive_divergences(const ExactChain& chain, const Chains& rows, Index k);

/// Places in θ of the entries of all couplings; of a symmetric one the pairs i < j.
std::vector<Index> coupling_entries(const ParameterLayout& layout);
/// Those of all parameters, likewise.
std::vector<Index> all_entries(const ParameterLayout& layout);

/// Statistics over all x_1 and all entries asked for; δ_k = Δ − Δ_k.
struct BiasStatistics {
  double delta = 0.0;             ///< mean of |δ_k|
  double r_median = 0.0;          ///< r_k, the median of |δ_k / Δ|: which part of the gradient is lost
  double r_ratio_of_means = 0.0;  ///< mean of |δ_k| over mean of |Δ|
  double r_clipped_mean = 0.0;    ///< mean of min(|δ_k / Δ|, 2)
  double s = 0.0;                 ///< s_k, the share of entries in which Δ_k and Δ differ in sign
  double cosine = 0.0;            ///< mean over x_1 of the cosine of Δ_k and Δ
};

/// The statistics of k = 1 … most_steps.
std::vector<BiasStatistics> contrastive_bias(const ExactChain& chain, const Chains& rows, Index most_steps,
                                             std::span<const Index> entries);

/// For each unit of the observed and of the latent layers the sum of the sizes of its bias and its couplings: a bound of its
/// field. (α_j and β_i of the paper, whose largest are α, equation 4.5, and β, 4.6.)
struct FieldBounds {
  std::vector<double> observed, latent;
  double alpha() const;
  double beta() const;
};
FieldBounds field_bounds(const EnergyModel& model);

/// Bounds of |δ_k| for every x_1 and every coupling of a machine of binary units in two layers. d_x and d_h are the numbers
/// of units, N_x and N_h those of states, a = min P(X_2 = x' | X_1 = x).
struct ContrastiveBounds {
  double paper = 0.0;         ///< N_x (1 − N_x N_h sigm(−α)^d_x sigm(−β)^d_h)^k: equation 4.7
  double product = 0.0;       ///< N_x (1 − N_x N_h Π_j sigm(−α_j) Π_i sigm(−β_i))^k: 4.3 with 4.4
  double minorization = 0.0;  ///< N_x (1 − N_x a)^k: 4.3
  double sharp = 0.0;  ///< (1 − N_x a)^k: ∂log P/∂W lies in an interval of width 1, which spares the factor N_x
  double energy_range = 0.0;  ///< (1 − e^{−(d_x + d_h) Δ})^k, Δ the largest field of a unit: Fischer & Igel (2011)
};
/// Throws CapabilityError for any other model.
ContrastiveBounds contrastive_bounds(const ExactChain& chain, Index k);

/// For each row the total variation between the law of X_{k+1} given it and the model's, the sharpest of the bounds.
std::vector<double> total_variations(const ExactChain& chain, const Chains& rows, Index k);
/// ½ λ₂^k √(1/P(x_1) − 1), which bounds that, λ₂ the second eigenvalue. For chains with halves.
std::vector<double> eigenvalue_bounds(const ExactChain& chain, const Chains& rows, Index k, double second_eigenvalue);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
