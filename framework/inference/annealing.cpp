#include <harmonium/framework/inference/annealing.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/inference/energy_differences.hpp>
#include <harmonium/framework/inference/tempering_ladder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

double deviation(std::span<const double> values) {
  const auto v = as_xtensor(values);
  const double mean = xt::mean(v)();
  return std::sqrt(xt::mean(xt::square(v - mean))());
}

}  // namespace

AnnealedWalk anneal(Target target, std::span<const double> betas, Sampler& sampler, Chains& chains,
                    const Execution& execution) {
  AnnealedWalk walk;
  walk.log_weights.assign(chains.size(), 0.0);
  const Execution moves = execution.part("sampler");
  const auto rounded = [](double beta) { return static_cast<double>(static_cast<Real>(beta)); };
  for (Index k = 1; k < betas.size(); ++k) {
    const std::vector<double> difference = energy_differences(target, chains, execution.executor);
    walk.deviations.push_back(deviation(difference));
    in_place(std::span(walk.log_weights)) +=
        (rounded(betas[k - 1]) - rounded(betas[k])) * as_xtensor(std::span<const double>(difference));
    if (k + 1 == betas.size()) break;
    target.beta = rounded(betas[k]);
    sampler.advance(target, chains, 1, moves);
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
