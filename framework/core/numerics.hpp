#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// 1 / (1 + e^{−x}), without overflow.
inline double logistic(double x) {
  const double e = std::exp(-std::abs(x));
  return (x >= 0 ? 1.0 : e) / (1.0 + e);
}

/// log(1 + e^x), without overflow, to full relative accuracy.
inline double log1pexp(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// log Σ e^{x_i}; −∞ of nothing, NaN where one of them is.
inline double logsumexp(std::span<const double> x) {
  double top = -std::numeric_limits<double>::infinity();
  for (const double v : x)
    if (v > top || std::isnan(v)) top = v;
  if (!std::isfinite(top)) return top;
  double sum = 0.0;
  for (const double v : x) sum += std::exp(v - top);
  return top + std::log(sum);
}

/// by · x.
inline std::vector<double> scaled(std::span<const double> x, double by) {
  std::vector<double> y(x.begin(), x.end());
  for (double& v : y) v *= by;
  return y;
}

/// log Σ e^{x_i} of a stream, in one pass.
class LogSumExp {
 public:
  void add(double x) {
    if (x == -std::numeric_limits<double>::infinity()) return;
    if (x <= top_) {
      sum_ += x == top_ ? 1.0 : std::exp(x - top_);  // infinities too
    } else {
      sum_ = sum_ * std::exp(top_ - x) + 1.0;
      top_ = x;
    }
  }
  double value() const { return sum_ == 0.0 ? -std::numeric_limits<double>::infinity() : top_ + std::log(sum_); }

 private:
  double top_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0.0;
};

}  // namespace v1
}  // namespace harmonium
