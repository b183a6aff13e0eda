#include <harmonium/framework/inference/local_means.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include <harmonium/framework/inference/layer_sums.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index states_of_sum = 2048;

/// What units are in the states that there are, and whether they are ever anything else.
class SteadyUnits {
 public:
  /// Of the first state with a probability.
  SteadyUnits(const Layout& layout, const LocalObservables& what, const JointStates& states,
              const std::vector<double>& probabilities)
      : numbers_(what.num_of_units()) {
    const auto first = std::ranges::find_if(probabilities, [](double p) { return p > 0.0; });
    const auto state = static_cast<std::uint64_t>(first - probabilities.begin());
    if (first == probabilities.end()) return;
    Chains row(layout, 1);
    states.write(state, state + 1, row);
    what.layer().tell_units(row.read(what.layer().layer())[0], numbers_);
  }
  void compare(std::span<const double> units, std::span<std::uint8_t> differs) const {
    for (Index k = 0; k < units.size(); ++k)
      if (units[k] != numbers_[k]) differs[k] = 1;
  }
  /// Replaces the means of what never differs, which probabilities that add up to 1 but for rounding would leave beside it.
  void put(const LocalObservables& what, const std::vector<std::uint8_t>& differs, std::span<double> means) const {
    const Index units = what.num_of_units(), width = what.numbers_of_unit();
    for (Index k = 0; k < units; ++k)
      if (differs[k] == 0) means[k] = numbers_[k];
    const auto steady = [&](Index unit) {
      const auto begin = differs.begin() + static_cast<std::ptrdiff_t>(unit * width);
      return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(width), [](std::uint8_t d) { return d == 0; });
    };
    for (Index p = 0; p < what.pairs().size(); ++p) {
      const auto [i, j] = what.pairs()[p];
      const double* const one = numbers_.data() + i * width;
      const double* const other = numbers_.data() + j * width;
      if (!steady(i) || !steady(j)) continue;
      means[units + p] = std::inner_product(one, one + width, other, 0.0);
      if (what.num_of_frequencies() == 0) continue;
      double* const frequencies = means.data() + what.first_frequency() + p * width * width;
      for (Index a = 0; a < width; ++a)
        for (Index b = 0; b < width; ++b) frequencies[a * width + b] = one[a] * other[b];
    }
  }

 private:
  std::vector<double> numbers_;
};

/// Adds to `sums` what states come to, and to `sizes` the same of absolute values.
void add_states(const LocalObservables& what, const ConstMatrixRef& rows, std::span<const double> probabilities,
                const SteadyUnits& steady, std::span<std::uint8_t> differs, std::span<double> sums,
                std::span<double> sizes) {
  std::vector<double> units(what.num_of_units());
  for (Index r = 0; r < probabilities.size(); ++r) {
    if (probabilities[r] == 0.0) continue;
    what.layer().tell_units(rows[r], units);
    steady.compare(units, differs);
    what.add(units, probabilities[r], sums);
    std::ranges::transform(units, units.begin(), [](double v) { return std::abs(v); });
    what.add(units, probabilities[r], sizes);
  }
}

}  // namespace

std::vector<double> local_means(const Layout& layout, const LocalObservables& what, const JointStates& states,
                                const std::vector<double>& probabilities, const Executor& executor) {
  const Index size = what.size(), units = what.num_of_units(),
              parts = (probabilities.size() + states_of_sum - 1) / states_of_sum;
  const SteadyUnits steady(layout, what, states, probabilities);
  std::vector<double> sums(2 * size * parts, 0.0);  // of each part, and of the absolute values
  std::vector<std::uint8_t> differs(units * parts, 0);
  executor.for_each_piece(parts, 1, [&](Index first, Index last) {
    Chains rows(layout, std::min<Index>(states_of_sum, probabilities.size()));
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const Index begin = p * states_of_sum, end = std::min<Index>(probabilities.size(), begin + states_of_sum);
      states.write(begin, end, rows);
      const std::span<double> own = std::span(sums).subspan(2 * size * p, 2 * size);
      add_states(what, rows.read(what.layer().layer()), std::span(probabilities).subspan(begin, end - begin), steady,
                 std::span(differs).subspan(units * p, units), own.first(size), own.last(size));
    }
  });
  std::vector<double> means(2 * size, 0.0);
  for (Index p = 0; p < parts; ++p)
    for (Index k = 0; k < 2 * size; ++k) means[k] += sums[2 * size * p + k];
  for (Index p = 1; p < parts; ++p)
    for (Index k = 0; k < units; ++k) differs[k] |= differs[units * p + k];
  for (Index k = 0; k < size; ++k) means[k] = beyond_rounding(means[k], means[size + k]);
  means.resize(size);
  steady.put(what, differs, means);
  return means;
}

double bytes_of_local_means(const LocalObservables& what, double num_states) {
  return (2.0 * sizeof(double) * static_cast<double>(what.size()) + static_cast<double>(what.num_of_units())) *
         std::ceil(num_states / static_cast<double>(states_of_sum));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
