#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/tests/support/example_models.hpp>

namespace harmonium::testing {

/// Leaves every other entry of each coupling, those whose row and column differ by an odd number.
inline void mask_couplings(EnergyModel& model) {
  const ParameterLayout& parameters = model.parameter_layout();
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    const ParameterBlock& b = parameters[k];
    if (b.role != ParameterRole::coupling) continue;
    std::vector<std::uint8_t> mask(b.size());
    for (Index i = 0; i < mask.size(); ++i) mask[i] = (i / b.cols + i % b.cols) % 2 == 1 ? 1 : 0;
    model.set_mask(k, std::move(mask));
  }
}

/// The mean of independent estimates of a gradient, and how far an expectation is from it. The error of each entry is
/// taken from the spread of the estimates, each a mean over many rows and so close to normal: the score is Student's t.
/// Entries that must be equal (a symmetric pair) are no evidence twice and no harm.
class Repeats {
 public:
  template <class Estimate>
  Repeats(Index number, const Estimate& estimate) : number_(number) {
    std::vector<Real> gradient;
    for (Index n = 0; n < number; ++n) {
      estimate(gradient);
      mean_.resize(gradient.size(), 0.0);
      squares_.resize(gradient.size(), 0.0);
      for (Index i = 0; i < gradient.size(); ++i) {
        const double change = static_cast<double>(gradient[i]) - mean_[i];
        mean_[i] += change / static_cast<double>(n + 1);
        squares_[i] += change * (static_cast<double>(gradient[i]) - mean_[i]);
      }
    }
  }
  /// The largest score of an entry; what rounding in sums over a batch may add is no evidence.
  double worst(const std::vector<double>& expectation) const {
    double most = 0.0;
    const auto n = static_cast<double>(number_);
    for (Index i = 0; i < mean_.size(); ++i) {
      const double error = std::sqrt(squares_[i] / (n - 1.0) / n);
      const double distance = std::max(0.0, std::abs(mean_[i] - expectation[i]) - rounding(4000.0));
      if (distance > 0.0) most = std::max(most, distance / error);
    }
    return most;
  }
  /// The score that one of all entries exceeds with a probability of 1e-9: the normal quantile by bisection, and
  /// Student's by the first terms of its expansion (Abramowitz & Stegun, 26.7.5).
  double threshold() const {
    const double probability = 1e-9 / static_cast<double>(mean_.size());
    double low = 0.0, high = 40.0;
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      (std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
    }
    const double z = high, v = static_cast<double>(number_) - 1.0;
    return z + (std::pow(z, 3) + z) / (4.0 * v) +
           (5.0 * std::pow(z, 5) + 16.0 * std::pow(z, 3) + 3.0 * z) / (96.0 * v * v);
  }
  const std::vector<double>& mean() const { return mean_; }
  /// The sum over all entries of the variance of one estimate.
  double total_variance() const {
    double sum = 0.0;
    for (const double s : squares_) sum += s / (static_cast<double>(number_) - 1.0);
    return sum;
  }
  /// What the ratio of two total variances of as many estimates exceeds, where they are the same, with a probability below
  /// 1e-9. The logarithm of a variance of n normal estimates varies by 2 / (n − 1), that of a sum of such by no more; 6.1
  /// standard deviations of the difference of two.
  double variance_ratio_limit() const { return std::exp(6.1 * std::sqrt(4.0 / (static_cast<double>(number_) - 1.0))); }

 private:
  Index number_;
  std::vector<double> mean_, squares_;
};

}  // namespace harmonium::testing
