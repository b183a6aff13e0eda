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

  static double pairs(Index chains) { return static_cast<double>(chains) * static_cast<double>(chains - 1); }

 private:
  double sum_of_own() const { return std::accumulate(own.begin(), own.end(), 0.0); }
};

double jackknife_error(std::span<const double> partial) {
  const auto groups = static_cast<double>(partial.size());
  const double mean = std::accumulate(partial.begin(), partial.end(), 0.0) / groups;
  double squares = 0.0;
  for (const double p : partial) squares += (p - mean) * (p - mean);
  return std::sqrt((groups - 1.0) / groups * squares);
}

/// How θ, times C (C − 1), changes without one block of one chain: 2 Σ_k (x̄'_ck − x̄_ck) Σ_{d≠c} x̄_dk.
class BlocksLeftOut {
 public:
  explicit BlocksLeftOut(const LocalSums& sums)
      : sums_(sums.of_blocks()),
        lengths_(BlockJackknife::lengths_of(1, sums.blocks_per_chain(), sums.num_steps())),
        steps_(static_cast<double>(sums.num_steps())),
        changes_(sums_.rows, 0.0) {}

  void add(Index number, std::span<const double> means) {
    const double all = std::accumulate(means.begin(), means.end(), 0.0);
    const Index blocks = lengths_.size();
    if (blocks < 2) return;  // of so many chains that each is a block
    for (Index c = 0; c < means.size(); ++c)
      for (Index b = 0; b < blocks; ++b) {
        const auto length = static_cast<double>(lengths_[b]);
        const double without = (means[c] * steps_ - sums_(c * blocks + b, number)) / (steps_ - length);
        changes_[c * blocks + b] += 2.0 * (without - means[c]) * (all - means[c]);
      }
  }
  /// Σ_c (B − 1)/B Σ_b (θ_cb − θ̄_c)², each chain being a stratum of B blocks (Jones 1974), and its root.
  double error() const {
    const Index blocks = lengths_.size();
    double squares = 0.0;
    for (Index first = 0; first < changes_.size(); first += blocks)
      squares += std::pow(jackknife_error(std::span(changes_).subspan(first, blocks)), 2);
    return std::sqrt(squares);
  }

 private:
  Series sums_;
  std::vector<Index> lengths_;
  double steps_;
  std::vector<double> changes_;  ///< chain × block
};

}  // namespace

NumberWithError replica_squares(const LocalSums& sums, std::span<const Index> numbers, double count) {
  const Index chains = sums.num_chains(), blocks = sums.blocks_per_chain();
  const Series x = sums.of_blocks();
  ChainSquares squares(chains);
  BlocksLeftOut left_out(sums);
  std::vector<double> means(chains);
  for (const Index k : numbers) {
    for (Index c = 0; c < chains; ++c) {
      double sum = 0.0;
      for (Index b = 0; b < blocks; ++b) sum += x(c * blocks + b, k);
      means[c] = sum / static_cast<double>(sums.num_steps());
    }
    squares.add(means);
    left_out.add(k, means);
  }
  const double of_blocks = left_out.error() / ChainSquares::pairs(chains);
  if (chains < ChainJackknife::fewest_chains) return {squares.theta() / count, of_blocks / count};
  std::vector<double> partial;
  for (Index c = 0; c < chains; ++c) partial.push_back(squares.theta_without(c));
  return {squares.theta() / count, ChainJackknife::larger(of_blocks, jackknife_error(partial), chains) / count};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
