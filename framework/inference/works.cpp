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
  double log_sum() const { return std::log(sum()) + scale; }
  /// d log Σ σ(x) / dx, each argument moved alike: a mean of 1 − σ, from 0 to 1.
  double slope() const {
    if (scale < 0.0) return 1.0;
    double left = 0.0;
    for (const double v : values) left += v * (1.0 - v);
    return left / sum();
  }
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
  const auto set = [&](double c) {
    of_forward.set(forward, most_forward, -c - log_share);
    of_backward.set(backward, most_backward, c + log_share);
  };
  // The left side falls with c and the right side rises.
  double low = std::min(std::ranges::min(forward), -most_backward);
  double high = std::max(most_forward, -std::ranges::min(backward));
  low -= 10.0 + std::abs(log_share);
  high += 10.0 + std::abs(log_share);
  // Newton's method for the logarithm of the ratio of the sides, whose slope lies between -2 and 0 and changes with c no faster than
  // its own size: its error is squared at each step. Halves of what is left stand in for steps that leave it or grow.
  const auto mean = [](std::span<const double> w) { return xt::mean(as_xtensor(w))(); };
  double c = 0.5 * (mean(forward) - mean(backward)), step = high - low;
  for (int count = 0; count < 200 && high - low > 1e-13 * (1.0 + std::abs(low)); ++count) {
    set(c);
    const double above = of_forward.log_sum() - of_backward.log_sum();
    const double newton = above / (of_forward.slope() + of_backward.slope());
    (above > 0.0 ? low : high) = c;
    if (std::abs(newton) < 1e-8) {
      c += newton;
      break;
    }
    const bool taken = std::abs(newton) < std::abs(step) && c + newton > low && c + newton < high;
    step = taken ? newton : 0.5 * (low + high) - c;
    c += step;
  }
  set(c);
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
