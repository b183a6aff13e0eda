#include <harmonium/framework/diagnostics/chain_jackknife.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <harmonium/framework/core/assert.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// How much larger than its law's an error of so many degrees of freedom is by chance, once in a hundred (Wilson & Hilferty 1931).
double chance_ratio(Index degrees) {
  constexpr double normal_quantile = 2.326;
  const double v = 2.0 / (9.0 * static_cast<double>(degrees));
  return std::sqrt(std::pow(1.0 - v + normal_quantile * std::sqrt(v), 3.0));
}

/// The sums of stretches `count` times as long.
std::vector<double> joined(Series sums, Index count) {
  std::vector<double> longer;
  for (Index s = 0; s < sums.rows; ++s)
    for (Index first = 0; first < sums.cols; first += count) {
      const auto own = sums[s].subspan(first, count);
      longer.push_back(std::accumulate(own.begin(), own.end(), 0.0));
    }
  return longer;
}

/// Of sums of stretches, chain after chain, each `count` of which make a block.
BlockJackknife of_joined(Series sums, Index count, Index chains, Index steps) {
  HARMONIUM_ASSERT(count > 0);
  const std::vector<double> longer = joined(sums, count);
  const Index blocks = sums.cols / count;
  return {Series{longer.data(), sums.rows, blocks, blocks}, BlockJackknife::lengths_of(chains, blocks / chains, steps)};
}

/// Two, if that leaves two blocks.
Index stretches_of_block(Series sums, Index chains) { return sums.cols / chains % 2 == 0 && sums.cols > 2 ? 2 : 1; }

}  // namespace

ChainJackknife::ChainJackknife(std::span<const Series> series, Index blocks_per_chain)
    : chains_(series[0].rows), of_blocks_(series, blocks_per_chain) {
  if (2 * blocks_per_chain <= series[0].cols) of_halves_.emplace(series, 2 * blocks_per_chain);
  if (chains_ >= fewest_chains) of_chains_.emplace(series, 1);
}

ChainJackknife::ChainJackknife(Series sums, Index chains, Index steps)
    : chains_(chains), of_blocks_(of_joined(sums, stretches_of_block(sums, chains), chains, steps)) {
  if (stretches_of_block(sums, chains) == 2) of_halves_ = of_joined(sums, 1, chains, steps);
  if (chains >= fewest_chains) of_chains_ = of_joined(sums, sums.cols / chains, chains, steps);
}

NumberWithError ChainJackknife::estimate(FunctionRef<double(std::span<const double> means)> f) const {
  NumberWithError found = of_blocks_.estimate(f);
  if (of_halves_) found.error = extrapolated(found.error, of_halves_->estimate(f).error);
  if (of_chains_) found.error = larger(found.error, of_chains_->estimate(f).error, chains_);
  return found;
}

double ChainJackknife::extrapolated(double of_blocks, double of_halves) {
  const double square = of_blocks * of_blocks;
  return std::sqrt(std::max(square, 2.0 * square - of_halves * of_halves));
}

double ChainJackknife::larger(double of_blocks, double of_chains, Index chains) {
  return of_chains > chance_ratio(chains - 1) * of_blocks ? of_chains : of_blocks;
}

}  // namespace v1
}  // namespace harmonium
