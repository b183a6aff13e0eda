#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Numbers x(c, r) of call c and row r that are independent where no two of them go by the same random words: in a call the
/// rows follow one law, whatever that is. Each is standardized among the rows of its call: z. Then sums of z z' over the
/// calls are held against independence for all pairs of rows, and over the rows for all pairs of calls; and, to see what two
/// rows share in part, summed over all disjoint pairs that are equally far apart. Limits are Bernstein's: a sum S of n
/// independent terms of mean 0, variance 1 and at most M in size has
///   P(|S| > t) ≤ 2 exp(−t² / (2 (n + M t / 3))),
/// at the false alarm of chi_square.hpp over all sums of all tables, which the caller counts.
class PairIndependence {
 public:
  PairIndependence(Index calls, Index rows) : calls_(calls), rows_(rows), x_(calls * rows) {}
  double& operator()(Index call, Index row) { return x_[call * rows_ + row]; }

  /// What a table came to.
  struct Findings {
    Index used = 0;         ///< calls in which the numbers are spread enough to tell
    double of_pair = 0.0;   ///< the correlation of two rows that would be seen
    double of_lag = 0.0;    ///< the same of all rows that are equally far apart
    std::string complaint;  ///< which rows or calls depend on each other most; empty: none
  };
  /// `tables`: how many share the false alarm. "row" and "call" are `row` and `call` in words.
  Findings examine(Index tables, const char* row, const char* call) const;

 private:
  /// How many values there are that all rows of some call have. Rows that are not sure of their value are never alike, and
  /// what a call leaves alone stays at one value.
  Index unanimous_values() const;
  struct Standardized;
  Standardized standardized() const;

  Index calls_, rows_;
  std::vector<double> x_;
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
