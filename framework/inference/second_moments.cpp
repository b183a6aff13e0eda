#include <harmonium/framework/inference/second_moments.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/core/assert.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

double log_partition_at(const UnitType& unit, double linear) {
  double sum = 0.0;
  unit.add_log_partition({{&linear, 1, 1, 1}}, {&sum, 1});
  return sum;
}

/// Of a unit of one column without end.
double variance_by_difference(const UnitType& unit, double linear) {
  const double step = 1e-3 * std::min(1.0, unit.linear_limit() - linear);
  const double sides = log_partition_at(unit, linear + step) + log_partition_at(unit, linear - step);
  return (sides - 2.0 * log_partition_at(unit, linear)) / (step * step);
}

void add_second_of_states(const UnitStates& states, const UnitType& unit, const ConstFields& fields, Index r,
                          Index column, Matrix<double>& second) {
  std::vector<double> weights(states.size());
  for (Index s = 0; s < states.size(); ++s) {
    weights[s] = log_weight(fields, r, column, states[s]);
    if (unit.has_base()) weights[s] += unit.log_base(static_cast<double>(states[s][0]));
  }
  const double top = *std::ranges::max_element(weights);
  double total = 0.0;
  for (double& w : weights) total += w = std::exp(w - top);
  for (Index s = 0; s < states.size(); ++s)
    for (Index k = 0; k < unit.width(); ++k) {
      const auto x = static_cast<double>(states[s][k]);
      second(r, column + k) += weights[s] / total * x * x;
    }
}

}  // namespace

Matrix<double> second_moments(const UnitType& unit, const ConstFields& fields) {
  HARMONIUM_ASSERT(!fields.bias && !fields.scale);
  const Index rows = fields.linear.rows, columns = fields.linear.cols;
  Matrix<double> second = zeros<double>(rows, columns);
  if (unit.num_states() > 0) {
    const UnitStates states(unit);
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; c += unit.width()) add_second_of_states(states, unit, fields, r, c, second);
    return second;
  }
  Matrix<Real> found = zeros<Real>(rows, columns);
  if (unit.has_curvature()) unit.moments(fields, {}, as_matrix(found));
  else unit.moments(fields, as_matrix(found), {});
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      const auto value = static_cast<double>(found(r, c));
      second(r, c) = unit.has_curvature()
                         ? value
                         : value * value + variance_by_difference(unit, static_cast<double>(fields.linear(r, c)));
    }
  return second;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
