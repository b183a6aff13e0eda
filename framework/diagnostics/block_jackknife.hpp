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
  /// The same of the blocks' sums, series × block, of `lengths` values each.
  BlockJackknife(Series sums, std::span<const Index> lengths);

  /// f of the means of the series, in their order.
  NumberWithError estimate(FunctionRef<double(std::span<const double> means)> f) const;

  /// How many stretches to cut each of `chains` chains into, so that there are 64 blocks or more
  /// (BinningAccumulator::min_bins): an error is then known to 9 %.
  static Index usual_blocks(Index chains);
  /// The first step of stretch b of the `blocks` that `steps` are cut into; of b = blocks the end.
  static Index begin_of(Index b, Index blocks, Index steps) { return b * steps / blocks; }
  /// How long the stretches are, chain after chain.
  static std::vector<Index> lengths_of(Index chains, Index blocks_per_chain, Index steps);

 private:
  void leave_out(Series sums, std::span<const Index> lengths);

  Index num_blocks_;
  std::vector<double> means_;    ///< of each series, over all
  std::vector<double> without_;  ///< block × series: the mean without that block
};

}  // namespace v1
}  // namespace harmonium
