#pragma once

#include <optional>

namespace harmonium {
inline namespace v1 {

/// How fast some work goes, from the shares of it that are reported as done. Work that begins anew (its share falls) is timed
/// anew; what was done before the first report, as of a run that is resumed, is not taken for its speed.
class Pace {
 public:
  /// `share`: from 0 to 1; `now`: seconds, by any clock that never goes back.
  void seen(double share, double now) {
    if (!first_ || share < share_) first_ = Seen{share, now};
    share_ = share;
    now_ = now;
  }
  /// Seconds since the work was first seen.
  double elapsed() const { return first_ ? now_ - first_->now : 0.0; }
  /// Seconds that are left; none at the end, and while the work was seen for less than a second.
  std::optional<double> left() const {
    if (!first_ || share_ <= first_->share || share_ >= 1.0 || elapsed() < 1.0) return {};
    return elapsed() * (1.0 - share_) / (share_ - first_->share);
  }

 private:
  struct Seen {
    double share = 0.0, now = 0.0;
  };
  std::optional<Seen> first_;
  double share_ = 0.0, now_ = 0.0;
};

}  // namespace v1
}  // namespace harmonium
