#include <harmonium/framework/testing/loss_probe.hpp>

#include <algorithm>
#include <limits>

#include <harmonium/framework/testing/differences.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

LossProbe::LossProbe(EstimatorSubject& estimated) : e(estimated), scale(size_of_parameters(estimated.model)) {
  const double largest = largest_value(e.model.layout(), e.batch.rows());
  scale = scale * largest * largest;
  const std::vector<std::vector<Index>> all = free_parameters(e.model);
  for (const ParameterBlock& block : e.model.parameter_layout().blocks()) {
    if (!block.learned) continue;
    std::vector<Index>& own = blocks.emplace_back(block.name, std::vector<Index>{}).second;
    for (const auto& entries : all)
      if (entries[0] >= block.offset && entries[0] < block.offset + block.size()) {
        own.push_back(free.size());
        free.push_back(entries);
      }
  }
  const ParameterLayout of_estimator = e.begun()->own_parameters(e.model);
  for (const ParameterBlock& block : of_estimator.blocks()) {
    std::vector<Index>& own = blocks.emplace_back(block.name, std::vector<Index>{}).second;
    for_each_entry(block, [&](Index i) {
      own.push_back(free.size());
      free.push_back({e.model.parameters().size() + i});
    });
  }
}

double LossProbe::slope_of(const std::vector<Real>& gradient, const Direction& direction) const {
  double sum = 0.0;
  for (Index i = 0; i < free.size(); ++i) sum += direction.by[i] * static_cast<double>(gradient[free[i][0]]);
  return sum;
}

double LossProbe::loss_at(const Direction& direction, double by, std::uint64_t seed) {
  const std::unique_ptr<GradientEstimator> estimator = e.begun();
  const std::vector<Real> kept(e.model.parameters().begin(), e.model.parameters().end());
  const auto restore = [&] {
    e.model.update_parameters([&](std::span<Real> theta) { std::ranges::copy(kept, theta.begin()); });
  };
  try {
    e.model.update_parameters([&](std::span<Real> theta) {
      for (Index i = 0; i < free.size(); ++i)
        for (const Index entry : free[i])
          (entry < theta.size() ? theta[entry] : estimator->own_values()[entry - theta.size()]) +=
              static_cast<Real>(by * direction.by[i]);
    });
    const double loss =
        e.estimate(*estimator, seed, e.one_thread).report.loss.value_or(std::numeric_limits<double>::quiet_NaN());
    restore();
    return loss;
  } catch (...) {
    restore();
    throw;
  }
}

LossProbe::Slopes LossProbe::differences(const Direction& direction, double h, std::uint64_t seed) {
  const auto odd = [&](double by) { return loss_at(direction, by, seed) - loss_at(direction, -by, seed); };
  const double one = odd(h), two = odd(2.0 * h), four = odd(4.0 * h);
  return {(8.0 * one - two) / (12.0 * h), (8.0 * two - four) / (24.0 * h)};
}

double LossProbe::rounding(double of_terms, double h) {
  return std::numeric_limits<Real>::epsilon() * of_terms * (4.0 / h + 16.0);
}

std::vector<double> LossProbe::mean_gradient(Index num) {
  std::vector<double> mean(free.size(), 0.0);
  for (std::uint64_t seed = 10'000; seed < 10'000 + num; ++seed) {
    const std::vector<Real> gradient = estimate(seed).gradient;
    for (Index i = 0; i < mean.size(); ++i)
      mean[i] += static_cast<double>(gradient[free[i][0]]) / static_cast<double>(num);
  }
  return mean;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
