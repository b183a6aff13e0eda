#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Draws of the densities exp(−β_k D) of several inverse temperatures, as many of each, all together.
struct PooledDraws {
  std::span<const double> betas;
  double of_each = 0.0;                 ///< draws of each β
  std::span<const double> differences;  ///< D
  std::span<const double> counts;       ///< how many draws have such a D; empty: one each
};

/// Each draw counts at all temperatures (Shirts & Chodera 2008): the f_k = −log Z_k that solve
///   exp(−f_k) = Σ_n exp(−β_k D_n) / Σ_l N_l exp(f_l − β_l D_n),
/// but for a constant: f_0 stays what it is in `start`, from which the search begins. Throws NumericalError where the laws do not
/// overlap.
std::vector<double> solve_multistate(const PooledDraws& draws, std::vector<double> start);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
