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

/// The numbers that a model's parameters are.
std::vector<Places> own_numbers(const EnergyModel& model);

/// Of a mean of log laws over rows: its gradient, with the sign of a loss, the covariance of that of a row, and its curvature.
struct RowMoments {
  Vector<double> mean;
  Matrix<double> covariance,
      curvature;  ///< no curvature of the likelihood: it is its covariance at the law of the rows
};

/// One layer of bits or spins whose fields are linear in the parameters: of unit u, η_u = Σ_k θ_k D_uk, D_uk being the sum of the other
/// units that parameter k couples to u, or 1 for its bias. All is products of matrices then: with v_u the variance of the unit given the
/// others, the pseudo likelihood has the curvature Σ_u D_uᵀ diag(v_u) D_u / n.
class PairwiseMoments {
 public:
  /// Nothing where the model is another one.
  static std::optional<PairwiseMoments> of(const EnergyModel& model, const std::vector<Places>& numbers);

  /// `rows` × units. Of the likelihood without the model's side, which is the same of all rows.
  RowMoments operator()(ConstMatrixRef rows, bool of_likelihood, const Execution& execution) const;

 private:
  struct Term {
    Index number, other;  ///< of its own unit: a bias
  };

  std::vector<std::vector<Term>> terms_;             ///< of each unit
  std::vector<std::vector<Index>> numbers_of_unit_;  ///< each once
  std::vector<double> values_;                       ///< θ of each number
  bool spins_ = false;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
