#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The places in θ of a number of its own: both of a symmetric pair.
using Places = std::vector<Index>;

/// The numbers that a model's parameters are: those that are learned, each shared one once, without what masks leave out.
std::vector<Places> own_numbers(const EnergyModel& model);

/// Of a mean of log laws over rows: its gradient, with the sign of a loss, the covariance of that of a row, and its curvature.
struct RowMoments {
  Vector<double> mean;
  Matrix<double> covariance,
      curvature;  ///< no curvature of the likelihood: it is its covariance at the law of the rows
};

/// One layer of bits, spins or units whose columns are their states, whose fields are linear in the parameters: of column a of a unit,
/// η_a = Σ_k θ_k D_ak, D_ak being the sum of the columns of other units that parameter k couples to it, or 1 for its bias. All is products of
/// matrices then: with V_ab the covariance of two columns of the unit given the other units, v(a) alone of bits and spins and p_a (δ_ab − p_b) of
/// states, the pseudo likelihood has the curvature Σ_units Σ_ab D_aᵀ diag(V_ab) D_b / n.
class PairwiseMoments {
 public:
  /// Nothing where the model is another one.
  static std::optional<PairwiseMoments> of(const EnergyModel& model, const std::vector<Places>& numbers);

  /// `rows` × units. Of the likelihood without the model's side, which is the same of all rows.
  RowMoments operator()(ConstMatrixRef rows, bool of_likelihood, const Execution& execution) const;

 private:
  struct Term {
    Index number, other;  ///< a column; its own: a bias
  };
  /// What one unit gives to the moments of some rows, its gradients as they stand in `gradients`.
  class Unit;

  std::vector<std::vector<Term>> terms_;               ///< of each column
  std::vector<std::vector<Index>> numbers_of_column_;  ///< each once
  std::vector<double> values_;                         ///< θ of each number
  Index width_ = 1;                                    ///< columns of a unit
  bool spins_ = false;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
