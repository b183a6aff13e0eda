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

/// σ of each of some arguments over e^scale: beyond some hundreds of nats σ and its square are less than the least double.
struct ScaledLogistics {
  std::vector<double> values;
  double scale = 0.0;

  /// Of weights[i] + shift.
  void set(std::span<const double> weights, double largest, double shift) {
    constexpr double lowest = -300.0;  // e^x and its square are doubles of full precision
    scale = largest + shift < lowest ? largest + shift : 0.0;
    values.resize(weights.size());
    // 1 + e^x is 1 so far below 0.
    if (scale < 0.0)
      std::ranges::transform(weights, values.begin(), [&](double w) { return std::exp(w + shift - scale); });
    else std::ranges::transform(weights, values.begin(), [&](double w) { return logistic(w + shift); });
  }
  double sum() const { return xt::sum(as_xtensor(std::span<const double>(values)))(); }
};

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
  const double most_forward = std::ranges::max(forward), most_backward = std::ranges::max(backward);
  ScaledLogistics of_forward, of_backward;
  const auto balance = [&](double c) {
    of_forward.set(forward, most_forward, -c - log_share);
    of_backward.set(backward, most_backward, c + log_share);
    if (of_forward.scale == of_backward.scale) return of_forward.sum() - of_backward.sum();
    return std::log(of_forward.sum()) + of_forward.scale - std::log(of_backward.sum()) - of_backward.scale;
  };
  // The left side falls with c and the right side rises.
  double low = std::min(std::ranges::min(forward), -most_backward);
  double high = std::max(most_forward, -std::ranges::min(backward));
  low -= 10.0 + std::abs(log_share);
  high += 10.0 + std::abs(log_share);
  for (int halving = 0; halving < 200 && high - low > 1e-13 * (1.0 + std::abs(low)); ++halving) {
    const double middle = 0.5 * (low + high);
    (balance(middle) > 0.0 ? low : high) = middle;
  }
  const double c = 0.5 * (low + high);
  balance(c);
  const Mean f = mean_of_groups(of_forward.values, group), b = mean_of_groups(of_backward.values, group);
  const double error = std::sqrt(f.variance_of_mean / (f.mean * f.mean) + b.variance_of_mean / (b.mean * b.mean));
  // Where no walk comes as far as c, there is no overlap, however alike the walks of a side are.
  const auto effective = [](const ScaledLogistics& s) {
    const double most = std::ranges::max(s.values);
    return s.scale < 0.0 ? std::exp(s.scale) * s.sum() / 0.5 : s.sum() / std::max(most, 0.5);
  };
  return {c, error, std::min(effective(of_forward), effective(of_backward))};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
