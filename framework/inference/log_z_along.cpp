#include <harmonium/framework/inference/log_z_along.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/multistate.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The energies of all series in bins. What a bin puts an energy off by enters a difference of neighbors times the difference of
/// their β and averages out within the bin: to second order in a number that is far below 1.
class BinnedEnergies {
 public:
  BinnedEnergies(std::span<const ThermalSeries> series, const Executor& executor)
      : chains_(series.front().num_chains), bins_(std::max<Index>(4096, 64 * series.size())) {
    for (const ThermalSeries& s : series) {
      betas_.push_back(s.beta);
      const auto [least, most] = std::ranges::minmax(s.numbers[0]);
      low_ = std::min(low_, least);
      high_ = std::max(high_, most);
      means_.push_back(mean_of_groups(s.numbers[0]).mean);
    }
    if (!std::isfinite(high_ - low_)) throw NumericalError("an energy is no number.");
    of_chains_.assign(chains_, std::vector<double>(bins_));
    std::vector<std::vector<double>> sums(chains_, std::vector<double>(bins_));
    executor.for_each_piece(chains_, 1, [&](Index begin, Index end) {
      for (Index c = begin; c < end; ++c)
        for (const ThermalSeries& s : series)
          for (Index t = 0; t < s.num_steps; ++t) {
            const double energy = s.numbers[0][c * s.num_steps + t];
            const Index bin = bin_of(energy);
            of_chains_[c][bin] += 1.0;
            sums[c][bin] += energy - low_;
          }
    });
    keep_met(sums);
  }

  std::span<const double> betas() const { return betas_; }
  std::span<const double> energies() const { return energies_; }
  const std::vector<double>& counts() const { return counts_; }
  Index num_chains() const { return chains_; }
  std::vector<double> counts_without(Index chain) const {
    std::vector<double> rest = counts_;
    for (Index b = 0; b < rest.size(); ++b) rest[b] -= of_chains_[chain][b];
    return rest;
  }
  /// −log Z by the trapezoid rule, which is near.
  std::vector<double> integral() const {
    std::vector<double> f(betas_.size());
    for (Index k = 0; k + 1 < f.size(); ++k)
      f[k + 1] = f[k] + 0.5 * (betas_[k + 1] - betas_[k]) * (means_[k] + means_[k + 1] - 2.0 * low_);
    return f;
  }
  double lowest() const { return low_; }

 private:
  Index bin_of(double energy) const {
    if (high_ == low_) return 0;
    const double place = (energy - low_) / (high_ - low_) * static_cast<double>(bins_);
    return std::min(bins_ - 1, static_cast<Index>(place));
  }
  /// Leaves out the bins that no energy is in; of the others the energy, above the lowest, is the mean of theirs.
  void keep_met(const std::vector<std::vector<double>>& sums) {
    Index kept = 0;
    for (Index b = 0; b < bins_; ++b) {
      double count = 0.0, sum = 0.0;
      for (Index c = 0; c < chains_; ++c) {
        count += of_chains_[c][b];
        sum += sums[c][b];
      }
      if (count == 0.0) continue;
      counts_.push_back(count);
      energies_.push_back(sum / count);
      for (std::vector<double>& own : of_chains_) own[kept] = own[b];
      ++kept;
    }
    for (std::vector<double>& own : of_chains_) own.resize(kept);
  }

  Index chains_, bins_;
  std::vector<double> betas_, means_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
  std::vector<double> energies_, counts_;
  std::vector<std::vector<double>> of_chains_;
};

/// f_b − f_a of the solution with all chains and of those without one.
LogZRatio ratio_of(const std::vector<double>& all, const std::vector<std::vector<double>>& rest, Index a, Index b,
                   double energy_of_zero) {
  std::vector<double> without;
  without.reserve(rest.size());
  for (const std::vector<double>& f : rest) without.push_back(f[b] - f[a]);
  const auto n = static_cast<double>(rest.size());
  LogZRatio ratio;
  ratio.value = all[b] - all[a] + energy_of_zero;
  ratio.error = (n - 1.0) * std::sqrt(mean_of_groups(without).variance_of_mean);
  const double half = half_interval(n) * ratio.error + 1e-12 * (1.0 + std::abs(ratio.value));
  ratio.low = ratio.value - half;
  ratio.high = ratio.value + half;
  return ratio;
}

/// Of neighbors, by the solution with all chains.
std::vector<double> overlaps(const BinnedEnergies& binned, const std::vector<double>& f) {
  const Index count = f.size();
  std::vector<double> overlap(count - 1), share(count);
  for (Index b = 0; b < binned.energies().size(); ++b) {
    for (Index k = 0; k < count; ++k) share[k] = f[k] - binned.betas()[k] * binned.energies()[b];
    const double sum = logsumexp(share);
    for (double& s : share) s = std::exp(s - sum);
    for (Index k = 0; k + 1 < count; ++k)
      if (const double both = share[k] + share[k + 1]; both > 0.0)
        overlap[k] += binned.counts()[b] * share[k] * share[k + 1] / both;
  }
  return overlap;
}

}  // namespace

LogZAlong log_z_along(std::span<const ThermalSeries> series, const Executor& executor) {
  const BinnedEnergies binned(series, executor);
  const Index count = series.size(), chains = binned.num_chains();
  const auto steps = static_cast<double>(series.front().num_steps);
  const std::vector<double> all = solve_multistate(
      {binned.betas(), static_cast<double>(chains) * steps, binned.energies(), binned.counts()}, binned.integral());
  std::vector<std::vector<double>> rest(chains);
  executor.for_each_piece(chains, 1, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const std::vector<double> counts = binned.counts_without(c);
      rest[c] =
          solve_multistate({binned.betas(), static_cast<double>(chains - 1) * steps, binned.energies(), counts}, all);
    }
  });
  LogZAlong found;
  found.overlap = overlaps(binned, all);
  const auto ratio = [&](Index k, Index other) {  // energies count from the lowest
    return ratio_of(all, rest, k, other, (binned.betas()[other] - binned.betas()[k]) * binned.lowest());
  };
  for (Index k = 0; k + 1 < count; ++k) {
    found.from_last.push_back(ratio(k, count - 1));
    found.from_next.push_back(ratio(k, k + 1));
  }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
