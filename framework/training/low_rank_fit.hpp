#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An RBM of bits whose hidden units see of a row x its place y = Uᵀ(x − m) alone:
///   p(x) ∝ exp(b·x) Π_j (1 + exp(c_j + a_j·y)).
struct LowRankMachine {
  Matrix<double> planes;      ///< hidden units × (directions + 1): a_j, then c_j
  std::vector<double> field;  ///< b
};

/// Rows of bits, by what the likelihood of such machines needs of them.
struct PlacedRows {
  Matrix<double> directions;    ///< U: columns × directions
  std::vector<double> center;   ///< Uᵀm: one a direction
  std::vector<double> means;    ///< of each column
  Matrix<double> places;        ///< y: rows × directions
  std::vector<double> weights;  ///< one a row; their sum is 1
  double number = 0.0;          ///< how many rows of equal weight they are worth: (Σw)² / Σw²
};

constexpr Index most_fitted_units = 12;  // Z is a sum over 2^12 states of them

/// Mean log likelihood of the rows under such a machine, in nats; Z is the sum over all states of the hidden units, the bits being
/// independent given each. From it Σ_j |U a_j|² / (2 · 5² rows) is taken, as by normal couplings of deviation 5: those of a bit that
/// is the same in every row of a cluster would grow without an end. The same bits for any number of threads.
class LowRankLikelihood {
 public:
  LowRankLikelihood(const PlacedRows& rows, Index hidden, const Executor& executor);

  Index num_parameters() const { return planes_ + rows_->means.size(); }
  /// `parameters`: planes, then field; slopes likewise, not written where empty.
  double operator()(std::span<const double> parameters, std::span<double> slopes) const;

 private:
  struct Pieces;  // slopes that pieces of the work add

  MatrixView<const double> planes(std::span<const double> parameters) const;
  /// The mean over rows of Σ_j log(1 + exp(c_j + a_j·y)).
  double latent_part(std::span<const double> parameters, std::span<double> slopes) const;
  /// log Σ exp(c·h + a·…) Π_i (1 + exp(b_i + u_i·λ_h)), λ_h = Σ_j h_j a_j, by the states h.
  double log_z(std::span<const double> parameters, std::span<double> slopes) const;
  /// The fields of the bits under hidden states `begin` to `end`, and these states' own part of the sum in logs.
  Matrix<double> fields(std::span<const double> parameters, Index begin, Index end, std::span<double> logs) const;
  /// Of the planes; takes its slopes away from `slopes`.
  double decay(std::span<const double> parameters, std::span<double> slopes) const;

  const PlacedRows* rows_;
  const Executor* executor_;
  Matrix<double> extended_;  // places, with a column of ones
  Matrix<double> states_;    // hidden states × units
  Matrix<double> metric_;    // UᵀU
  Index hidden_, planes_;
};

/// The machine of the largest likelihood that is found from `start` (L-BFGS; Liu & Nocedal 1989) with `evaluations` of it at most, and
/// its likelihood.
struct FittedMachine {
  LowRankMachine machine;
  double log_likelihood;
};
FittedMachine fit_low_rank(const PlacedRows& rows, const LowRankMachine& start, Index evaluations,
                           const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
