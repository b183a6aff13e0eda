#include <harmonium/framework/inference/layer_sums.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index state_piece = 1024;

Index level_of(const LayerObservables::Levels& levels, double m) {
  return static_cast<Index>(std::lround((m - levels.first) / levels.step));
}

Index level_of(const LayerObservables& what, std::span<const double> numbers) {
  if (const auto& m = what.magnetizations()) return level_of(*m, numbers[0]);
  const auto n = static_cast<double>(what.num_units());
  return static_cast<Index>(std::lround(n * std::ranges::max(numbers.first(what.num_of_layer()))));
}

}  // namespace

LayerSums sums_of_layer(const Layout& layout, const LayerObservables& what, const JointStates& states,
                        const std::vector<double>& probabilities, const Executor& executor) {
  const auto& m = what.magnetizations();
  const Index numbers = what.names().size(), levels = m ? m->count : what.num_units() + 1;
  const Index staggered = what.is_staggered() ? levels : 0, width = 2 * numbers + levels + staggered;
  const Index pieces = (states.size() + state_piece - 1) / state_piece;
  const bool has_levels = m || what.kind() == LayerObservables::Kind::sites;
  const Executor alone(1);
  std::vector<double> parts(pieces * width, 0.0);
  executor.for_each_piece(pieces, 16, [&](Index first, Index last) {
    Chains rows(layout, std::min<Index>(state_piece, states.size()));
    std::vector<double> measured(rows.size() * numbers);
    const MatrixView<double> out{measured.data(), rows.size(), numbers, numbers};
    for (Index p = first; p < last; ++p) {
      executor.check_stop();
      const Index begin = p * state_piece, end = std::min<Index>(states.size(), begin + state_piece);
      states.write(begin, end, rows);
      what.evaluate(rows, alone, out);
      double *const own = parts.data() + p * width, *const sizes = own + numbers, *const of_levels = sizes + numbers;
      for (Index i = begin; i < end; ++i) {
        const std::span<const double> row = out[i - begin];
        for (Index k = 0; k < numbers; ++k) {
          const double term = probabilities[i] * row[k];
          own[k] += term;
          sizes[k] += std::abs(term);
        }
        if (has_levels) of_levels[level_of(what, row)] += probabilities[i];
        if (staggered > 0) of_levels[levels + level_of(*m, row[what.place_of_staggered()])] += probabilities[i];
      }
    }
  });
  std::vector<double> total(width, 0.0);
  for (Index p = 0; p < pieces; ++p)
    for (Index k = 0; k < width; ++k) total[k] += parts[p * width + k];
  LayerSums sums;
  for (Index k = 0; k < numbers; ++k) sums.means.push_back(beyond_rounding(total[k], total[numbers + k]));
  const auto first = total.begin() + static_cast<std::ptrdiff_t>(2 * numbers), end = total.end();
  if (has_levels) sums.levels.assign(first, first + static_cast<std::ptrdiff_t>(levels));
  sums.staggered.assign(end - static_cast<std::ptrdiff_t>(staggered), end);
  return sums;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
