#include <harmonium/framework/inference/annealing.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/inference/tempering_ladder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Root of the mean over groups of the variance within.
double deviation(std::span<const double> values, Index group) {
  double squares = 0.0;
  for (Index first = 0; first < values.size(); first += group) {
    const auto v = as_xtensor(values.subspan(first, std::min(group, values.size() - first)));
    const double mean = xt::mean(v)();
    squares += xt::sum(xt::square(v - mean))();
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

AnnealedWalk anneal(Target target, std::span<const double> betas, Sampler& sampler, Chains& chains,
                    const Execution& execution, Index group) {
  AnnealedWalk walk;
  walk.log_weights.assign(chains.size(), 0.0);
  const Execution moves = execution.part("sampler");
  const auto rounded = [](double beta) { return static_cast<double>(static_cast<Real>(beta)); };
  std::vector<double> difference = energy_differences(target, chains, execution.executor);
  for (Index k = 1; k < betas.size(); ++k) {
    walk.deviations.push_back(deviation(difference, group > 0 ? group : chains.size()));
    in_place(std::span(walk.log_weights)) +=
        (rounded(betas[k - 1]) - rounded(betas[k])) * as_xtensor(std::span<const double>(difference));
    if (k + 1 == betas.size()) break;
    target.beta = rounded(betas[k]);
    difference = differences_after(sampler, target, chains, moves);
    execution.executor.check_stop();
    if (execution.display) execution.display->progress(static_cast<double>(k) / static_cast<double>(betas.size()), "");
  }
  return walk;
}

double path_length(std::span<const double> betas, std::span<const double> deviations) {
  double length = 0.0;
  for (Index k = 0; k < deviations.size(); ++k) length += std::abs(betas[k + 1] - betas[k]) * deviations[k];
  return length;
}

std::vector<double> spaced_by_length(std::span<const double> betas, std::span<const double> deviations, Index num) {
  // A part of the length for β itself, so that no stretch where D happened not to vary is crossed in one step.
  const double span = std::abs(betas.back() - betas.front());
  const double even = 0.1 * std::max(path_length(betas, deviations) / span, 1e-12);
  std::vector<double> lengths;
  for (Index k = 0; k < deviations.size(); ++k)
    lengths.push_back(std::abs(betas[k + 1] - betas[k]) * (deviations[k] + even));
  return at_equal_parts(betas, lengths, num);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
