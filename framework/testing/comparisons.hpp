#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// The worst of many comparisons, and how many there were.
class Comparisons {
 public:
  /// `place` is called for the worst alone.
  template <class Place>
  void compare(double found, double expected, double bound, const Place& place) {
    ++count_;
    const double excess = std::abs(found - expected) / bound;
    // What is not finite compares with nothing.
    const bool wrong = !(excess <= 1.0);
    if (wrong) ++wrong_;
    const double rank = std::isfinite(excess) ? excess : std::numeric_limits<double>::max();
    if (count_ > 1 && rank <= worst_) return;
    worst_ = rank;
    difference_ = std::abs(found - expected);
    if (wrong) complaint_ = fmt::format("{}: {:.6g}, and not {:.6g}", place(), found, expected);
  }
  /// Empty where all agree; `source` says where the expected numbers come from.
  std::string complaint(const char* source) const {
    if (wrong_ == 0) return "";
    return fmt::format("{} ({}). {} of {} comparisons fail.", complaint_, source, wrong_, count_);
  }
  std::string summary() const { return fmt::format("{} comparisons, largest difference {:.2g}", count_, difference_); }
  Index count() const { return count_; }

 private:
  Index count_ = 0, wrong_ = 0;
  double worst_ = -1.0, difference_ = 0.0;
  std::string complaint_;
};

}  // namespace v1
}  // namespace harmonium
