#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Independent units of two values, low < high: p(x_i) ∝ exp(field_i x_i).
struct IndependentUnits {
  std::vector<double> field;  ///< one a unit
  double low = 0.0, high = 1.0;
};

/// The law of overlaps y_a = Σ_i u_ia (x_i − m_i) of independent units with a few directions, m_i being their means: points and the
/// masses there.
struct OverlapLaw {
  Matrix<double> points;         ///< number × directions
  std::vector<double> log_mass;  ///< of each point; Σ exp of them is 1, but for what the approximation misses

  /// log Σ exp(log_mass): how far from 0 says how good the law is.
  double log_total() const;
};

constexpr Index most_overlaps = 3;

/// The density of y is that of a saddle point with the terms of second order (Daniels 1954, Ann. Math. Stat. 25, 631; McCullagh 1987,
/// Tensor Methods in Statistics, section 6.3), off by a factor 1 + O(1/units²). Points are the means of y under the fields
/// field_i + Σ_a λ_a u_ia, λ from a grid, so that none is out of reach; there are some (2.5 √units)^directions of them.
/// `directions`: units × number, orthonormal columns, `most_overlaps` at most.
OverlapLaw overlap_law(const IndependentUnits& units, const Matrix<double>& directions, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
