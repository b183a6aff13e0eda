#include <harmonium/estimators/log_partition/annealing_path.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/execution/part_of_work.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index pilot_temperatures = 200;
constexpr double most_temperatures = 20000.0;

std::vector<double> even(double end, Index num) {
  std::vector<double> betas;
  for (Index k = 0; k <= num; ++k) betas.push_back(end * static_cast<double>(k) / static_cast<double>(num));
  return betas;
}

}  // namespace

std::vector<double> AnnealingPath::ladder(Index steps) const {
  if (steps == 0) steps = static_cast<Index>(std::clamp(std::ceil(length) + 1.0, 4.0, 300.0));
  // The path's own steps are of equal length: as many of them between any two rungs.
  std::vector<double> speed;
  for (Index k = 0; k + 1 < betas.size(); ++k)
    speed.push_back(1.0 / std::max(std::abs(betas[k + 1] - betas[k]), 1e-300));
  return spaced_by_length(betas, speed, steps);
}

Index StepsOfPath::of_length(double length) const {
  if (given > 0) return given;
  const double most = std::max(1.0, effort) * most_temperatures;
  return static_cast<Index>(std::clamp(effort * length * length / variance, static_cast<double>(min), most));
}

AnnealingPath find_path(const AnnealingBase& base, const Target& target, double end, const StepsOfPath& steps,
                        Sampler& sampler, const Chains& rows, Index group, const Execution& execution) {
  std::vector<double> betas = even(end, pilot_temperatures);
  AnnealedWalk walk;
  // The even steps are too long where D varies most, near β = 0: the second walk is spaced by what the first one met.
  for (const char* name : {"first", "second"}) {
    const bool again = !walk.deviations.empty();
    if (again) betas = spaced_by_length(betas, walk.deviations, pilot_temperatures);
    PartOfWork shown(execution.display, again ? 0.5 : 0.0, again ? 1.0 : 0.5, "");
    Execution own = execution.part(name);
    own.display = &shown;
    Chains chains = rows;
    base.draw(target.held, own.random.child("start"), chains);
    walk = anneal(target, betas, sampler, chains, own, group);
  }
  AnnealingPath path;
  path.length = path_length(betas, walk.deviations);
  path.betas = spaced_by_length(betas, walk.deviations, steps.of_length(path.length));
  return path;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
