// What is measured of units that are the sites of a grid.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/framework/inference/layer_observables.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void LayerObservables::find_wave_number(const SiteGrid& grid) {
  Index length = 1, step = num_units_;
  for (Index a = 0; a < grid.shape.size(); ++a)
    if (!grid.open[a]) length = std::max(length, grid.shape[a]);
  if (length < 2) return;
  for (Index a = 0; a < grid.shape.size(); ++a) {
    step /= grid.shape[a];
    if (!grid.open[a] && grid.shape[a] == length) wave_steps_.push_back(step);
  }
  wave_number_ = 2.0 * std::numbers::pi / static_cast<double>(length);
  for (Index x = 0; x < length; ++x) {
    cosines_.push_back(std::cos(*wave_number_ * static_cast<double>(x)));
    sines_.push_back(std::sin(*wave_number_ * static_cast<double>(x)));
  }
  names_.emplace_back("structure_factor");
}

double LayerObservables::structure_factor(std::span<const Real> row, std::span<const double> signs) const {
  double sum = 0.0;
  for (const Index step : wave_steps_) {
    double even = 0.0, odd = 0.0;
    for (Index i = 0; i < row.size(); ++i) {
      const Index x = i / step % cosines_.size();
      const double s = signs.empty() ? spin(row[i]) : signs[i] * spin(row[i]);
      even += s * cosines_[x];
      odd += s * sines_[x];
    }
    sum += even * even + odd * odd;
  }
  return sum / static_cast<double>(wave_steps_.size() * num_units_);
}

void LayerObservables::find_signs(const SiteGrid& grid) {
  for (Index a = 0; a < grid.shape.size(); ++a)
    if (!grid.open[a] && grid.shape[a] % 2 != 0) return;  // round it two neighbors have the same sign
  for (Index i = 0; i < num_units_; ++i) {
    const std::vector<std::int64_t> place = grid.place_of(i);
    signs_.push_back(std::reduce(place.begin(), place.end()) % 2 == 0 ? 1.0 : -1.0);
  }
  names_.emplace_back("staggered_magnetization");
  if (wave_number_) names_.emplace_back("staggered_structure_factor");
}

bool LayerObservables::couples_checkerboard() const {
  const auto opposite = [&](const Pair& pair) { return signs_[pair.first] != signs_[pair.second]; };
  return is_staggered() && std::ranges::all_of(coupled_pairs(), opposite);
}

double LayerObservables::staggered(std::span<const Real> row) const {
  double sum = 0.0;
  for (Index i = 0; i < row.size(); ++i) sum += signs_[i] * spin(row[i]);
  return sum / static_cast<double>(num_units_);
}

void LayerObservables::find_distances(const SiteGrid& grid) {
  assert(grid.num_sites() == num_units_);
  grid_ = grid;
  for (Index a = 0; a < grid.shape.size(); ++a)
    for (Index d = 1; d <= (grid.open[a] ? grid.shape[a] - 1 : grid.shape[a] / 2); ++d) {
      distances_.push_back({a, d});
      names_.push_back(fmt::format("correlation_{}_{}", a, d));
    }
}

double LayerObservables::mean_at(const Distance& distance, FunctionRef<double(Index one, Index other)> f) const {
  const auto [axis, sites] = distance;
  const Index length = grid_.shape[axis];
  assert(length > 0);
  const Index step = std::reduce(grid_.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, grid_.shape.end(),
                                 Index{1}, std::multiplies());
  double sum = 0.0;
  Index pairs = 0;
  for (Index line = 0; line < num_units_; line += length * step)
    for (Index at = 0; at < (grid_.open[axis] ? length - sites : length); ++at, pairs += step) {
      const Index one = line + at * step, other = line + (at + sites) % length * step;
      for (Index c = 0; c < step; ++c) sum += f(one + c, other + c);
    }
  return sum / static_cast<double>(pairs);
}

void LayerObservables::correlate(std::span<const Real> row, std::span<double> out) const {
  for (Index k = 0; k < distances_.size(); ++k)
    out[k] = mean_at(distances_[k], [&](Index one, Index other) { return likeness(row, one, other); });
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
