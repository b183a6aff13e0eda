#pragma once

#include <optional>

#include <harmonium/framework/diagnostics/block_jackknife.hpp>

namespace harmonium {
inline namespace v1 {

/// The jackknife over blocks of chains, whose error is made larger where blocks are too short for it:
///   error² = max(e², 2 e² − e_½²),   e over blocks, e_½ over their halves.
/// A part of the fluctuation that lasts as long as blocks do lets e² be too small by about its time over theirs, and e_½² by twice that
/// (the lugsail of Vats & Flegal 2022). Of independent values this adds 2 % to an error over 64 blocks, which is then known to 11 %.
/// Where that over whole chains, of 4 or more, is larger by more than chance makes it once in a hundred, it is taken: what few of them
/// met, such as a rare mode, lets blocks of the others look alike.
class ChainJackknife {
 public:
  /// As BlockJackknife's. Blocks of one value have no halves.
  ChainJackknife(std::span<const Series> series, Index blocks_per_chain);
  /// Of the halves' sums, series × half, chain after chain, of `steps` values a chain. Where they are odd in number, each is a block.
  ChainJackknife(Series sums, Index chains, Index steps);

  NumberWithError estimate(FunctionRef<double(std::span<const double> means)> f) const;

  /// max(e², 2 e² − e_½²)^½.
  static double extrapolated(double of_blocks, double of_halves);
  /// The error over blocks of `chains` chains, or that over chains where it is that much larger.
  static double larger(double of_blocks, double of_chains, Index chains);

  /// Of fewer chains an error between them says little.
  static constexpr Index fewest_chains = 4;

 private:
  Index chains_;
  BlockJackknife of_blocks_;
  std::optional<BlockJackknife> of_halves_, of_chains_;
};

}  // namespace v1
}  // namespace harmonium
