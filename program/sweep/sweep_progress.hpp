#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// A process with its start and its end, measured on a Zen 4.
inline constexpr double seconds_of_process = 0.15;

/// A guess of the seconds that a run takes on one core. The runs of a sweep are weighed by it, so that its scale is of no matter.
/// Measured on a Zen 4: a process, the calls of an update, and its operations. Operations alone would make small machines a
/// hundred times cheaper than they are.
inline double guessed_seconds(double updates, double operations_per_update) {
  constexpr double of_calls = 2e-5, of_operation = 2.5e-11;
  return seconds_of_process + updates * (of_calls + operations_per_update * of_operation);
}

/// The seconds of runs with these guesses, `jobs` of them side by side, where the updates of the one with the largest guess take
/// `longest`: all are off by as much as that one. There must be one.
inline double seconds_side_by_side(const std::vector<double>& guesses, double longest, int jobs) {
  const double largest = *std::ranges::max_element(guesses), all = std::reduce(guesses.begin(), guesses.end());
  return (longest + seconds_of_process) / largest * std::max(largest, all / jobs);
}

/// The seconds that the ends of so many runs take, `jobs` of them side by side, each as long as `one`.
inline double seconds_of_ends(std::size_t runs, double one, int jobs) {
  return one * std::ceil(static_cast<double>(runs) / jobs);
}

/// How much of a sweep's work is done: each run counts by its weight, and by the share of it that is made. What is done stays done.
class SweepProgress {
 public:
  void add(double weight) {
    weights_.push_back(weight);
    made_.push_back(0.0);
  }
  /// `share`, from 0 to 1, of a run is made.
  void seen(std::size_t run, double share) { made_.at(run) = std::clamp(share, made_.at(run), 1.0); }
  double share() const {
    double done = 0.0, all = 0.0;
    for (std::size_t r = 0; r < weights_.size(); ++r) done += weights_[r] * made_[r], all += weights_[r];
    return all > 0.0 ? done / all : 0.0;
  }

 private:
  std::vector<double> weights_, made_;
};

}  // namespace v1
}  // namespace harmonium
