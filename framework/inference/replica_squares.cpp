#include <harmonium/framework/inference/replica_squares.hpp>

#include <cmath>
#include <numeric>

#include <harmonium/framework/diagnostics/chain_jackknife.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Sums over the numbers, of which every θ follows.
struct ChainSquares {
  double all = 0.0;              ///< (Σ_c x̄_c)²
  std::vector<double> own;       ///< x̄_c²
  std::vector<double> with_all;  ///< x̄_c Σ_d x̄_d

  explicit ChainSquares(Index chains) : own(chains, 0.0), with_all(chains, 0.0) {}

  void add(std::span<const double> means) {
    const double sum = std::accumulate(means.begin(), means.end(), 0.0);
    all += sum * sum;
    for (Index c = 0; c < means.size(); ++c) {
      own[c] += means[c] * means[c];
      with_all[c] += means[c] * sum;
    }
  }
  double theta() const { return (all - sum_of_own()) / pairs(own.size()); }
  /// Of all chains but c: (Σ_{d≠c} x̄_d)² less its own squares.
  double theta_without(Index c) const {
    return (all - 2.0 * with_all[c] + 2.0 * own[c] - sum_of_own()) / pairs(own.size() - 1);
  }

 private:
  double sum_of_own() const { return std::accumulate(own.begin(), own.end(), 0.0); }
  static double pairs(Index chains) { return static_cast<double>(chains) * static_cast<double>(chains - 1); }
};

constexpr Index no_block = ~Index{0};

/// Of chains from which the stretch `without` is left out, for all of them alike.
ChainSquares squares_of(const LocalSums& sums, std::span<const Index> numbers, Index without) {
  const Index chains = sums.num_chains(), blocks = sums.blocks_per_chain();
  const std::vector<Index> lengths = BlockJackknife::lengths_of(1, blocks, sums.num_steps());
  const auto length = static_cast<double>(without == no_block ? sums.num_steps() : sums.num_steps() - lengths[without]);
  const Series x = sums.of_blocks();
  ChainSquares squares(chains);
  std::vector<double> means(chains);
  for (const Index k : numbers) {
    for (Index c = 0; c < chains; ++c) {
      double sum = 0.0;
      for (Index b = 0; b < blocks; ++b)
        if (b != without) sum += x(c * blocks + b, k);
      means[c] = sum / length;
    }
    squares.add(means);
  }
  return squares;
}

double jackknife_error(const std::vector<double>& partial) {
  const auto groups = static_cast<double>(partial.size());
  const double mean = std::accumulate(partial.begin(), partial.end(), 0.0) / groups;
  double squares = 0.0;
  for (const double p : partial) squares += (p - mean) * (p - mean);
  return std::sqrt((groups - 1.0) / groups * squares);
}

}  // namespace

NumberWithError replica_squares(const LocalSums& sums, std::span<const Index> numbers, double count) {
  const ChainSquares whole = squares_of(sums, numbers, no_block);
  std::vector<double> partial;
  if (sums.num_chains() >= ChainJackknife::fewest_chains)
    for (Index c = 0; c < sums.num_chains(); ++c) partial.push_back(whole.theta_without(c));
  else
    for (Index b = 0; b < sums.blocks_per_chain(); ++b) partial.push_back(squares_of(sums, numbers, b).theta());
  return {whole.theta() / count, jackknife_error(partial) / count};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
