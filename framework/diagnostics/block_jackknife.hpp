#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/diagnostics/series.hpp>

namespace harmonium {
inline namespace v1 {

/// Functions of the means of correlated series, such as a variance or a ratio of moments, by the jackknife over blocks
/// (Quenouille 1956; Tukey 1958; of series in blocks Künsch 1989). With θ of all G blocks and θ_g of all but block g,
///   value = G θ − (G − 1) θ̄,   error² = (G − 1)/G Σ_g (θ_g − θ̄)²,   θ̄ = Σ_g θ_g / G.
/// The bias of order 1/n is taken off the value. The error is right where blocks are much longer than the autocorrelation time;
/// its own relative error is about 1/√(2G).
class BlockJackknife {
 public:
  /// `series`: one or more, all of as many chains and times. Each chain is cut into `blocks_per_chain` stretches, as equally long
  /// as can be; there are two blocks or more, and none is empty.
  BlockJackknife(std::span<const Series> series, Index blocks_per_chain);

  /// f of the means of the series, in their order.
  NumberWithError estimate(FunctionRef<double(std::span<const double> means)> f) const;

  /// How many stretches to cut each of `chains` chains into, so that there are 64 blocks or more
  /// (BinningAccumulator::min_bins): an error is then known to 9 %.
  static Index usual_blocks(Index chains);

 private:
  Index num_blocks_ = 0;
  std::vector<double> means_;    ///< of each series, over all
  std::vector<double> without_;  ///< block × series: the mean without that block
};

}  // namespace v1
}  // namespace harmonium
