#pragma once

#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The values that Σ_i x_i x'_i may take, x_i and x'_i being levels −S, −S + 1, …, S with S = (states − 1)/2: first + k step, k <
/// count. Products of halves of odd numbers are quarters of odd numbers, which lie ½ apart.
struct ProductLevels {
  double first, step;
  Index count;

  ProductLevels(Index states, Index sites);
};

/// Multiplications and additions that product_law takes.
double product_law_operations(Index states, Index sites);

/// How likely Σ_i x_i x'_i of two independent draws from a law takes each of the values of ProductLevels. `law` has the probability
/// of each joint state of the sites, the first site changing fastest: states^sites numbers, which sum to 1.
///
/// No sum over pairs of states: the characteristic function φ(θ) = Σ p(x) p(x') Π_i e^{iθ x_i x'_i} has one matrix e^{iθxx'} at
/// each site, and its values at `count` angles determine the law. The matrix is real, 2 cos θxx', between sums p(x) + p(−x), and
/// imaginary, 2i sin θxx', between differences, so that all is real but for a power of i. The same bits for any number of threads.
std::vector<double> product_law(std::vector<double> law, Index states, Index sites, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
