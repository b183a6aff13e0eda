#include <harmonium/framework/diagnostics/block_jackknife.hpp>

#include <cmath>
#include <numeric>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/diagnostics/accumulator.hpp>

namespace harmonium {
inline namespace v1 {

namespace {

std::vector<double> sums_of_blocks(std::span<const Series> series, Index blocks_per_chain) {
  const Index chains = series[0].rows, times = series[0].cols;
  HARMONIUM_ASSERT(blocks_per_chain >= 1 && times >= blocks_per_chain);
  std::vector<double> sums;
  for (const Series& one : series)
    for (Index c = 0; c < chains; ++c)
      for (Index b = 0; b < blocks_per_chain; ++b) {
        const Index begin = BlockJackknife::begin_of(b, blocks_per_chain, times);
        const auto block = one[c].subspan(begin, BlockJackknife::begin_of(b + 1, blocks_per_chain, times) - begin);
        sums.push_back(std::accumulate(block.begin(), block.end(), 0.0));
      }
  return sums;
}

}  // namespace

std::vector<Index> BlockJackknife::lengths_of(Index chains, Index blocks_per_chain, Index steps) {
  std::vector<Index> lengths;
  for (Index c = 0; c < chains; ++c)
    for (Index b = 0; b < blocks_per_chain; ++b)
      lengths.push_back(begin_of(b + 1, blocks_per_chain, steps) - begin_of(b, blocks_per_chain, steps));
  return lengths;
}

BlockJackknife::BlockJackknife(std::span<const Series> series, Index blocks_per_chain)
    : num_blocks_(series[0].rows * blocks_per_chain) {
  const std::vector<double> sums = sums_of_blocks(series, blocks_per_chain);
  leave_out({sums.data(), series.size(), num_blocks_, num_blocks_},
            lengths_of(series[0].rows, blocks_per_chain, series[0].cols));
}

BlockJackknife::BlockJackknife(Series sums, std::span<const Index> lengths) : num_blocks_(sums.cols) {
  leave_out(sums, lengths);
}

void BlockJackknife::leave_out(Series sums, std::span<const Index> lengths) {
  HARMONIUM_ASSERT(num_blocks_ >= 2 && lengths.size() == num_blocks_);
  means_.resize(sums.rows);
  without_.resize(num_blocks_ * sums.rows);
  const auto all = static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), Index{0}));
  for (Index s = 0; s < sums.rows; ++s) {
    const double total = std::accumulate(sums[s].begin(), sums[s].end(), 0.0);
    means_[s] = total / all;
    for (Index g = 0; g < num_blocks_; ++g)
      without_[g * sums.rows + s] = (total - sums(s, g)) / (all - static_cast<double>(lengths[g]));
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
