#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/execution/stream.hpp>

namespace harmonium {
inline namespace v1 {

/// Standard normal numbers by address: that of row r and site c is
///   √(−2 log u₀) cos(2π u₁)   (Box & Muller 1958),
/// u₀ and u₁ the draws 0 and 1 of its site, at 32 bits each (so none lies beyond 6.7).
class NormalDraws {
 public:
  /// Of `cols` sites from the first one of `block` on.
  NormalDraws(const DrawBlock& block, Index cols) : block_(block), cols_(cols), words_(8 * cols), normal_(cols) {}
  /// The numbers of a row, valid until the next call. Rows in order cost least: four share a call of the generator.
  std::span<const double> row(Index r);

 private:
  DrawBlock block_;
  Index cols_;
  std::int64_t quad_ = -1;            ///< whose words are in `words_`
  std::vector<std::uint32_t> words_;  ///< draw 0 of four chains, then draw 1 of four chains
  std::vector<double> normal_;
};

}  // namespace v1
}  // namespace harmonium
