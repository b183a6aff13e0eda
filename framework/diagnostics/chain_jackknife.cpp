#include <harmonium/framework/diagnostics/chain_jackknife.hpp>

#include <cmath>
#include <numeric>

namespace harmonium {
inline namespace v1 {
namespace {

/// How much larger than its law's an error of so many degrees of freedom is by chance, once in a hundred (Wilson & Hilferty 1931).
double chance_ratio(Index degrees) {
  constexpr double normal_quantile = 2.326;
  const double v = 2.0 / (9.0 * static_cast<double>(degrees));
  return std::sqrt(std::pow(1.0 - v + normal_quantile * std::sqrt(v), 3.0));
}

}  // namespace

ChainJackknife::ChainJackknife(std::span<const Series> series, Index blocks_per_chain)
    : chains_(series[0].rows), of_blocks_(series, blocks_per_chain) {
  if (chains_ >= fewest_chains) of_chains_.emplace(series, 1);
}

ChainJackknife::ChainJackknife(Series sums, Index chains, Index steps)
    : chains_(chains), of_blocks_(sums, BlockJackknife::lengths_of(chains, sums.cols / chains, steps)) {
  if (chains < fewest_chains) return;
  const Index blocks = sums.cols / chains;
  std::vector<double> of_chains;
  for (Index s = 0; s < sums.rows; ++s)
    for (Index c = 0; c < chains; ++c) {
      const auto own = sums[s].subspan(c * blocks, blocks);
      of_chains.push_back(std::accumulate(own.begin(), own.end(), 0.0));
    }
  of_chains_.emplace(Series{of_chains.data(), sums.rows, chains, chains}, BlockJackknife::lengths_of(chains, 1, steps));
}

NumberWithError ChainJackknife::estimate(FunctionRef<double(std::span<const double> means)> f) const {
  NumberWithError found = of_blocks_.estimate(f);
  if (!of_chains_) return found;
  found.error = larger(found.error, of_chains_->estimate(f).error, chains_);
  return found;
}

double ChainJackknife::larger(double of_blocks, double of_chains, Index chains) {
  return of_chains > chance_ratio(chains - 1) * of_blocks ? of_chains : of_blocks;
}

}  // namespace v1
}  // namespace harmonium
