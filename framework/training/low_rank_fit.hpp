#pragma once

#include <vector>

#include <harmonium/framework/training/overlap_law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An RBM of low rank over independent units, by what it is of their overlaps y:
///   p(x) ∝ p0(x) exp(β·y + Σ_j log(1 + exp(c_j + a_j·y))).
struct LowRankMachine {
  Matrix<double> planes;      ///< hidden units × (directions + 1): a_j, then c_j
  std::vector<double> field;  ///< β
};

/// Rows of data by their overlaps.
struct OverlapRows {
  Matrix<double> at;            ///< rows × directions
  std::vector<double> weights;  ///< one a row; their sum is 1
};

/// Mean log likelihood of the rows under such a machine less that under p0, in nats, Z being summed over the points of a law, less
/// 1e-4 Σ_j |a_j|²; and its slopes. Without that decay some a_j grow without an end, and bend the law between the points. The same
/// bits for any number of threads.
class LowRankLikelihood {
 public:
  LowRankLikelihood(const OverlapLaw& law, const OverlapRows& rows, Index hidden, const Executor& executor);

  Index num_parameters() const;
  /// `parameters`: planes, then field; slopes likewise, not written where empty.
  double operator()(std::span<const double> parameters, std::span<double> slopes) const;

 private:
  /// exp(...) above less p0, in logs, at each point of `extended`, whose last column is 1.
  std::vector<double> log_factors(const Matrix<double>& extended, std::span<const double> parameters) const;
  /// slopes += Σ weights · ∂ log factor.
  void add_slopes(const Matrix<double>& extended, std::span<const double> parameters, std::span<const double> weights,
                  std::span<double> slopes) const;

  /// Of the planes; takes its slopes away from `slopes`.
  double decay(std::span<const double> parameters, std::span<double> slopes) const;

  const Executor* executor_;
  Matrix<double> points_, rows_;  // with a column of ones
  std::vector<double> log_mass_, weights_;
  Index hidden_;
};

/// The machine of the largest likelihood that is found from `start` (L-BFGS; Liu & Nocedal 1989) with `evaluations` of it at most.
LowRankMachine fit_low_rank(const OverlapLaw& law, const OverlapRows& rows, const LowRankMachine& start,
                            Index evaluations, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
