#include <harmonium/framework/inference/works.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void check_numbers(std::span<const double> log_weights) {
  if (log_weights.empty()) throw NumericalError("there are no log weights to take the mean of.");
  for (const double w : log_weights)
    if (!std::isfinite(w))
      throw NumericalError("a log weight of an annealing is no finite number: has the model a density?");
}

}  // namespace

Mean mean_of_groups(std::span<const double> values, Index group) {
  std::vector<double> of_group;
  for (Index first = 0; first < values.size(); first += group) {
    const auto part = values.subspan(first, std::min(group, values.size() - first));
    of_group.push_back(xt::mean(as_xtensor(part))());
  }
  const auto n = static_cast<double>(of_group.size());
  Mean result{xt::mean(as_xtensor(std::span<const double>(of_group)))(), 0.0};
  for (const double m : of_group) result.variance_of_mean += (m - result.mean) * (m - result.mean);
  result.variance_of_mean /= n * std::max(n - 1.0, 1.0);
  return result;
}

double half_interval(double groups, double outside) {
  const boost::math::students_t law(std::max(groups - 1.0, 1.0));
  return boost::math::quantile(boost::math::complement(law, 0.5 * outside));
}

OneSided log_mean_weight(std::span<const double> log_weights, Index group) {
  check_numbers(log_weights);
  const double max = std::ranges::max(log_weights);
  std::vector<double> weights(log_weights.begin(), log_weights.end());
  double sum = 0.0, squares = 0.0;
  for (double& w : weights) {
    w = std::exp(w - max);
    sum += w;
    squares += w * w;
  }
  const Mean mean = mean_of_groups(weights, group);
  return {max + std::log(mean.mean), std::sqrt(mean.variance_of_mean) / mean.mean, sum * sum / squares};
}

OneSided bennett(std::span<const double> forward, std::span<const double> backward, Index group) {
  check_numbers(forward);
  check_numbers(backward);
  const double log_share =
      std::log(static_cast<double>(forward.size())) - std::log(static_cast<double>(backward.size()));
  std::vector<double> of_forward(forward.size()), of_backward(backward.size());
  const auto balance = [&](double c) {
    for (Index i = 0; i < forward.size(); ++i) of_forward[i] = logistic(forward[i] - c - log_share);
    for (Index i = 0; i < backward.size(); ++i) of_backward[i] = logistic(backward[i] + c + log_share);
    return xt::sum(as_xtensor(std::span<const double>(of_forward)))() -
           xt::sum(as_xtensor(std::span<const double>(of_backward)))();
  };
  // The left side falls with c and the right side rises.
  double low = std::ranges::min(forward), high = std::ranges::max(forward);
  for (const double w : backward) {
    low = std::min(low, -w);
    high = std::max(high, -w);
  }
  low -= 10.0 + std::abs(log_share);
  high += 10.0 + std::abs(log_share);
  for (int halving = 0; halving < 200 && high - low > 1e-13 * (1.0 + std::abs(low)); ++halving) {
    const double middle = 0.5 * (low + high);
    (balance(middle) > 0.0 ? low : high) = middle;
  }
  const double c = 0.5 * (low + high);
  balance(c);
  const Mean f = mean_of_groups(of_forward, group), b = mean_of_groups(of_backward, group);
  const double error = std::sqrt(f.variance_of_mean / (f.mean * f.mean) + b.variance_of_mean / (b.mean * b.mean));
  const auto effective = [](const std::vector<double>& v) {
    return xt::sum(as_xtensor(std::span<const double>(v)))() / std::ranges::max(v);
  };
  return {c, error, std::min(effective(of_forward), effective(of_backward))};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
