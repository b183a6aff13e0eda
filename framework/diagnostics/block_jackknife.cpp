#include <harmonium/framework/diagnostics/block_jackknife.hpp>

#include <cmath>
#include <numeric>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/diagnostics/accumulator.hpp>

namespace harmonium {
inline namespace v1 {

BlockJackknife::BlockJackknife(std::span<const Series> series, Index blocks_per_chain)
    : num_blocks_(series[0].rows * blocks_per_chain), means_(series.size()), without_(num_blocks_ * series.size()) {
  const Index chains = series[0].rows, times = series[0].cols;
  HARMONIUM_ASSERT(blocks_per_chain >= 1 && num_blocks_ >= 2 && times >= blocks_per_chain);
  const auto all = static_cast<double>(chains * times);
  const auto begin_of = [&](Index b) { return b * times / blocks_per_chain; };
  for (Index s = 0; s < series.size(); ++s) {
    std::vector<double> sums;
    for (Index c = 0; c < chains; ++c)
      for (Index b = 0; b < blocks_per_chain; ++b) {
        const auto block = series[s][c].subspan(begin_of(b), begin_of(b + 1) - begin_of(b));
        sums.push_back(std::accumulate(block.begin(), block.end(), 0.0));
      }
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    means_[s] = total / all;
    for (Index g = 0; g < num_blocks_; ++g) {
      const Index b = g % blocks_per_chain;
      without_[g * series.size() + s] = (total - sums[g]) / (all - static_cast<double>(begin_of(b + 1) - begin_of(b)));
    }
  }
}

NumberWithError BlockJackknife::estimate(FunctionRef<double(std::span<const double> means)> f) const {
  const auto blocks = static_cast<double>(num_blocks_);
  const double whole = f(means_);
  std::vector<double> partial;
  for (Index g = 0; g < num_blocks_; ++g)
    partial.push_back(f(std::span(without_).subspan(g * means_.size(), means_.size())));
  const double mean = std::accumulate(partial.begin(), partial.end(), 0.0) / blocks;
  double squares = 0.0;
  for (const double p : partial) squares += (p - mean) * (p - mean);
  return {whole - (blocks - 1.0) * (mean - whole), std::sqrt((blocks - 1.0) / blocks * squares)};
}

Index BlockJackknife::usual_blocks(Index chains) {
  return (static_cast<Index>(BinningAccumulator::min_bins) + chains - 1) / chains;
}

}  // namespace v1
}  // namespace harmonium
