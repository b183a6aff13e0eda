#pragma once

#include <optional>

#include <harmonium/framework/diagnostics/block_jackknife.hpp>

namespace harmonium {
inline namespace v1 {

/// The jackknife over blocks of chains, with the error of that over whole chains where it is larger by more than chance makes it once
/// in a hundred, of 4 chains or more: what few of them met, such as a rare mode, lets blocks of the others look alike.
class ChainJackknife {
 public:
  /// As BlockJackknife's.
  ChainJackknife(std::span<const Series> series, Index blocks_per_chain);
  /// Of the blocks' sums, series × block, chain after chain, of `steps` values a chain.
  ChainJackknife(Series sums, Index chains, Index steps);

  NumberWithError estimate(FunctionRef<double(std::span<const double> means)> f) const;

  /// The error over blocks of `chains` chains, or that over chains where it is that much larger.
  static double larger(double of_blocks, double of_chains, Index chains);

  /// Of fewer chains an error between them says little.
  static constexpr Index fewest_chains = 4;

 private:
  Index chains_;
  BlockJackknife of_blocks_;
  std::optional<BlockJackknife> of_chains_;
};

}  // namespace v1
}  // namespace harmonium
