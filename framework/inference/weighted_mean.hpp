#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Σ e^w x / Σ e^w of a stream of vectors x with the logs w of their weights, in one pass and without overflow.
class WeightedMean {
 public:
  explicit WeightedMean(Index size) : sums_(size, 0.0) {}

  /// Makes ready for weights of which the largest is e^`log_weight`: what was added is scaled down to it where that is larger.
  void expect(double log_weight) {
    if (!(log_weight > top_)) return;
    const double scale = std::exp(top_ - log_weight);
    for (double& sum : sums_) sum *= scale;
    total_ *= scale;
    top_ = log_weight;
  }
  /// e^`log_weight` as sums are scaled by now.
  double weight(double log_weight) const {
    return log_weight == -std::numeric_limits<double>::infinity() ? 0.0 : std::exp(log_weight - top_);
  }
  void add_weight(double weight) { total_ += weight; }
  std::span<double> sums() { return sums_; }
  double mean(Index k) const { return sums_[k] / total_; }

 private:
  double top_ = -std::numeric_limits<double>::infinity(), total_ = 0.0;
  std::vector<double> sums_;
};

}  // namespace v1
}  // namespace harmonium
