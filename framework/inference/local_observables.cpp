#include <harmonium/framework/inference/local_observables.hpp>

#include <algorithm>
#include <numeric>

#include <harmonium/framework/core/assert.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

LocalObservables::LocalObservables(const LayerObservables& what, Pairs pairs, Frequencies frequencies)
    : what_(what), pairs_(what.coupled_pairs()), frequencies_(frequencies) {
  const Index n = what.num_units(), most = n * (n - 1) / 2;
  all_ = pairs_.size() == most;
  if (all_ || pairs != Pairs::all) return;
  const std::vector<Pair> joined = std::move(pairs_);
  pairs_.clear();
  pairs_.reserve(most);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = i + 1; j < n; ++j) pairs_.emplace_back(i, j);
  coupled_.resize(most);
  std::ranges::transform(pairs_, coupled_.begin(),
                         [&](const Pair& pair) { return std::ranges::binary_search(joined, pair) ? 1 : 0; });
  all_ = true;
}

void LocalObservables::add(std::span<const double> units, double weight, std::span<double> sums) const {
  HARMONIUM_ASSERT(units.size() == num_of_units() && sums.size() == size());
  for (Index k = 0; k < units.size(); ++k) sums[k] += weight * units[k];
  add_products(units, weight, sums.subspan(units.size(), pairs_.size()));
  if (frequencies_ != Frequencies::none) add_frequencies(units, weight, sums.subspan(first_frequency()));
}

void LocalObservables::add_products(std::span<const double> units, double weight, std::span<double> sums) const {
  const Index n = what_.num_units(), width = numbers_of_unit();
  double* out = sums.data();
  if (all_ && width == 1) {  // without looking pairs up
    for (Index i = 0; i < n; out += n - 1 - i, ++i) {
      const double own = weight * units[i];
      const double* const others = units.data() + i + 1;
      for (Index j = 0; j < n - 1 - i; ++j) out[j] += own * others[j];
    }
    return;
  }
  for (const auto& [i, j] : pairs_) {
    const double* const one = units.data() + i * width;
    *out++ += weight * std::inner_product(one, one + width, units.data() + j * width, 0.0);
  }
}

/// Most numbers of a site are 0, and their products need not be added.
void LocalObservables::add_frequencies(std::span<const double> units, double weight, std::span<double> sums) const {
  const Index width = numbers_of_unit();
  double* out = sums.data();
  for (const auto& [i, j] : pairs_) {
    const double* const one = units.data() + i * width;
    const double* const other = units.data() + j * width;
    for (Index a = 0; a < width; ++a, out += width)
      if (one[a] != 0.0)
        for (Index b = 0; b < width; ++b) out[b] += weight * one[a] * other[b];
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
