#include <harmonium/framework/inference/local_means.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/inference/layer_sums.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index states_of_sum = 2048;

/// Adds to `sums` what states come to, and to `sizes` the same of absolute values.
void add_states(const LocalObservables& what, const ConstMatrixRef& rows, std::span<const double> probabilities,
                std::span<double> sums, std::span<double> sizes) {
  std::vector<double> units(what.num_of_units());
  for (Index r = 0; r < probabilities.size(); ++r) {
    what.layer().tell_units(rows[r], units);
    what.add(units, probabilities[r], sums);
    std::ranges::transform(units, units.begin(), [](double v) { return std::abs(v); });
    what.add(units, probabilities[r], sizes);
  }
}

}  // namespace

std::vector<double> local_means(const Layout& layout, const LocalObservables& what, const JointStates& states,
                                const std::vector<double>& probabilities, const Executor& executor) {
  const Index size = what.size(), parts = (probabilities.size() + states_of_sum - 1) / states_of_sum;
  std::vector<double> sums(2 * size * parts, 0.0);  // of each part, and of the absolute values
  executor.for_each_piece(parts, 1, [&](Index first, Index last) {
    Chains rows(layout, std::min<Index>(states_of_sum, probabilities.size()));
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const Index begin = p * states_of_sum, end = std::min<Index>(probabilities.size(), begin + states_of_sum);
      states.write(begin, end, rows);
      const std::span<double> own = std::span(sums).subspan(2 * size * p, 2 * size);
      add_states(what, rows.read(what.layer().layer()), std::span(probabilities).subspan(begin, end - begin),
                 own.first(size), own.last(size));
    }
  });
  std::vector<double> means(2 * size, 0.0);
  for (Index p = 0; p < parts; ++p)
    for (Index k = 0; k < 2 * size; ++k) means[k] += sums[2 * size * p + k];
  for (Index k = 0; k < size; ++k) means[k] = beyond_rounding(means[k], means[size + k]);
  means.resize(size);
  return means;
}

double bytes_of_local_means(const LocalObservables& what, double num_states) {
  return 2.0 * sizeof(double) * static_cast<double>(what.size()) *
         std::ceil(num_states / static_cast<double>(states_of_sum));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
