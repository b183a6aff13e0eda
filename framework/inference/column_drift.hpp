#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether the mean of some column of independent chains moved between two looks at them. At rest the difference d of a chain that is the
/// same backward in time is symmetric about 0, of whatever law, so that
///   P(|Σ d| ≥ x √Σ d²) ≤ 2 exp(−x²/2)
/// over chains (Efron 1969). `level` is that of all columns together (Bonferroni). Columns that are held do not move.
class ColumnDrift {
 public:
  static constexpr double level = 1e-4;  ///< probability that chains at rest are told to move, at most

  /// Of some of the chains, a row each, of the same columns.
  void add(ConstMatrixRef before, ConstMatrixRef after);

  struct Move {
    Index column = 0;
    double ratio = 0.0;  ///< Σ d / √Σ d²: about the change in its standard errors
  };
  /// The column that moves the most, if any moves.
  std::optional<Move> move() const;

 private:
  std::vector<double> sums_, squares_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
