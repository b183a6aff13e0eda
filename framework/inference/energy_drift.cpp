#include <harmonium/framework/inference/energy_drift.hpp>

#include <cmath>
#include <limits>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void EnergyDrift::Sums::add(double value) {
  ++count;
  const double from = value - mean;
  mean += from / static_cast<double>(count);
  squares += from * (value - mean);
}

EnergyDrift::Look EnergyDrift::Sums::look() const {
  const auto n = static_cast<double>(count);
  return {mean, count > 1 ? std::sqrt(squares / (n * (n - 1.0))) : std::numeric_limits<double>::infinity()};
}

void EnergyDrift::add(std::span<const double> before, std::span<const double> after) {
  HARMONIUM_ASSERT(before.size() == after.size());
  for (Index c = 0; c < before.size(); ++c) {
    before_.add(before[c]);
    after_.add(after[c]);
    change_.add(after[c] - before[c]);
  }
}

bool EnergyDrift::moves() const {
  if (num_chains() < fewest_chains) return false;
  const Look change = this->change();
  // All chains may have gone from one state to another of the same energy.
  const double rounding = 32.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                          (std::abs(before_.mean) + std::abs(after_.mean));
  return std::abs(change.mean) > half_interval(static_cast<double>(num_chains()), level) * change.error + rounding;
}

double EnergyDrift::told_from(Index num_chains, double power) {
  if (num_chains < fewest_chains) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(num_chains);
  return (half_interval(n, level) + half_interval(n, 2.0 * (1.0 - power))) / std::sqrt(n);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
