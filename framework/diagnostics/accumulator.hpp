#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

class StateArchive;

/// Mean of a correlated series of numbers, with an error bar that knows of the correlation: logarithmic binning
/// (Flyvbjerg & Petersen 1989; Ambegaokar & Troyer 2010). Level l holds the means of 2^l neighbors; as they get longer
/// than the correlation their scatter gives the true error of the mean. Memory O(log n), one pass.
class BinningAccumulator {
 public:
  void add(double value);

  std::uint64_t count() const { return levels_.empty() ? 0 : levels_[0].count; }
  double mean() const;
  /// Variance of the single values.
  double variance() const;
  /// Standard error of the mean, from the longest bins of which there are `min_bins` or more (its own relative error is
  /// about 1/√(2 bins)). Infinite where there are fewer values than that.
  double error() const;
  /// τ = 1 + 2 Σ_t ρ_t: as many values count for one independent one. From the same bins; at least 1 in theory.
  double autocorrelation_time() const;

  /// Levels that hold two bins or more, and the standard error of the mean that each by itself gives.
  Index levels() const;
  double error(Index level) const;
  std::uint64_t bins(Index level) const { return levels_[level].count; }

  void state(StateArchive& archive);

  static constexpr std::uint64_t min_bins = 64;

 private:
  struct Level {
    std::uint64_t count = 0;
    double mean = 0.0, squares = 0.0;  ///< Σ (bin − mean)², by Welford's recursion
    double pending = 0.0;              ///< a bin that waits for its neighbor
    bool waits = false;
  };
  std::vector<Level> levels_;
};

}  // namespace v1
}  // namespace harmonium
