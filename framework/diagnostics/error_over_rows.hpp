#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace harmonium {
inline namespace v1 {

/// The standard error of a mean over rows, of which pieces come one after the other; about the first row, so that nothing
/// cancels.
class ErrorOverRows {
 public:
  void add(std::span<const double> figures) {
    if (count_ == 0.0 && !figures.empty()) origin_ = figures[0];
    for (const double f : figures) {
      sum_ += f - origin_;
      squares_ += (f - origin_) * (f - origin_);
    }
    count_ += static_cast<double>(figures.size());
  }
  std::optional<double> error() const {
    if (count_ < 2.0) return {};
    return std::sqrt(std::max(0.0, squares_ - sum_ * sum_ / count_) / (count_ - 1.0) / count_);
  }

 private:
  double origin_ = 0.0, count_ = 0.0, sum_ = 0.0, squares_ = 0.0;
};

/// The same of all rows at once; none of fewer than two.
inline std::optional<double> error_over_rows(std::span<const double> figures) {
  ErrorOverRows over_rows;
  over_rows.add(figures);
  return over_rows.error();
}

}  // namespace v1
}  // namespace harmonium
