#include <harmonium/framework/inference/ratio_of_draws.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// U − U' of draws of the law of U: the log weights that lead from it to that of U'.
std::vector<double> weights_of_draws(const DrawnEnergies& draws) {
  std::vector<double> weights(draws.own.size());
  std::ranges::transform(draws.own, draws.other, weights.begin(), std::minus());
  return weights;
}

/// Those of every other group alone.
std::vector<double> of_start(const std::vector<double>& weights, Index group, Index kind) {
  std::vector<double> some;
  for (Index r = 0; r < weights.size(); ++r)
    if (r / group % 2 == kind) some.push_back(weights[r]);
  return some;
}

double largest_energy_of(const DrawnEnergies& draws) {
  double largest = 0.0;
  for (const auto* energies : {&draws.own, &draws.other})
    for (const double u : *energies) largest = std::max(largest, std::abs(u));
  return largest;
}

}  // namespace

RatioOfDraws ratio_of_draws(const DrawnEnergies& one, const DrawnEnergies& other) {
  const std::vector<double> towards = weights_of_draws(other), back = weights_of_draws(one);
  // Draws that are independent may be taken together too.
  const Index group = std::max(one.group, other.group);
  const OneSided found = bennett(towards, back, group);
  RatioOfDraws ratio{.log_ratio = found.log_ratio, .error = found.error, .counting = found.effective_sample_size};
  ratio.draws = std::min(towards.size(), back.size());
  const double rounding = 1e-14 * (1.0 + std::max(largest_energy_of(one), largest_energy_of(other)));
  const Index groups = ratio.draws / group;
  const double half = half_interval(static_cast<double>(groups)) * found.error + rounding;
  ratio.low = found.log_ratio - half;
  ratio.high = found.log_ratio + half;
  const auto reach_to = [&](double alone) {
    ratio.low = std::min(ratio.low, alone - rounding);
    ratio.high = std::max(ratio.high, alone + rounding);
  };
  for (Index kind = 0; kind < 2 && ratio.draws > group; ++kind) {
    if (other.starts_apart) reach_to(bennett(of_start(towards, other.group, kind), back, group).log_ratio);
    if (one.starts_apart) reach_to(bennett(towards, of_start(back, one.group, kind), group).log_ratio);
  }
  return ratio;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
