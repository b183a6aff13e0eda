#pragma once

#include <vector>

#include <harmonium/framework/model/unit_type.hpp>
#include <harmonium/framework/testing/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// A few units of the kind that is checked, with random fields, the same ones in each row.
struct UnitSubject {
  static constexpr Index units = 3, num_draws = 40'000;

  UnitSubject(const UnitType& kind, CheckReport& to);

  /// exp of the score of a state of unit u; what these add up to.
  double weight(Index u, Index state) const;
  double total(Index u) const;
  ConstFields fields(Index rows) const;
  /// Of all units, with one of their fields changed.
  double log_partition(Index column = 0, double by_linear = 0.0, double by_curvature = 0.0) const;
  /// Sets `mean` and `second`.
  void find_moments();

  const UnitType& unit;
  CheckReport& report;
  Index columns;
  double scale = 0.75;
  std::vector<Real> linear, bias, curvature, values, mean, second, scales, linear_rows;
};

/// Draws against the law of the units, and by addresses of their own.
void check_unit_draws(const UnitSubject& s);
/// Where there is a base measure: sums, and the law of draws, against it.
void check_base_measure(const UnitSubject& s);
/// What a draw leaves behind as E[x] is that of `moments`, and drawing it changes no draw; output over input does not
/// either.
void check_means_beside_draws(const UnitSubject& s);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
