#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// What a whole suite of chi-square tests may cost in false alarms, were its seeds drawn anew, and how many tests share
/// it (Bonferroni): some 2000 in each precision. Each alone is thus made at 1e-9. Seeds are fixed: what passes once passes
/// always.
inline constexpr double suite_false_alarm = 3e-6;
inline constexpr double tests_in_suite = 3000;
inline constexpr double false_alarm = suite_false_alarm / tests_in_suite;

/// Pearson's chi-square of counts against a known law: Σ (observed − expected)² / expected, asymptotically chi-square
/// with one degree of freedom less than there are cells. Cells whose expectation is below 5 are pooled.
class ChiSquare {
 public:
  /// Adds the statistic of one independent table. `law` sums to 1.
  void add(std::span<const std::uint64_t> counts, std::span<const double> law);
  /// Adds the statistic of two independent tables of equally many entries and of one unknown law, Σ (a − b)² / (a + b).
  /// Cells of fewer than 10 entries in all are pooled.
  void add_pair(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

  double statistic() const { return statistic_; }
  double degrees() const { return degrees_; }
  double p_value() const;
  /// The statistic that the right law exceeds with probability `false_alarm`.
  double limit() const;
  /// Of a single cell, which holds all there is, there is nothing to reject.
  bool rejected() const { return degrees_ > 0.0 && statistic_ > limit(); }
  /// How many standard deviations the statistic of a wrong law lies above the limit in the mean, when it adds
  /// `noncentrality` = n Σ (q − p)² / p: beyond 6, the wrong law passes with probability below 1e-9.
  double margin(double noncentrality) const;
  /// The same, with the noncentrality that was seen.
  double seen_margin() const { return margin(statistic_ - degrees_); }
  std::string summary() const;

 private:
  double statistic_ = 0.0, degrees_ = 0.0;
};

/// n Σ (q − p)² / p.
double noncentrality(std::span<const double> q, std::span<const double> p, double n);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
