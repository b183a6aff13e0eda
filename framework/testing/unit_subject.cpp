#include <harmonium/framework/testing/unit_subject.hpp>

#include <cmath>
#include <random>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

UnitSubject::UnitSubject(const UnitType& kind, CheckReport& to)
    : unit(kind), report(to), columns(units * kind.width()) {
  std::mt19937_64 words(31);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(words() >> 11) * 0x1p-53;
  };
  for (Index c = 0; c < columns; ++c) {
    linear.push_back(static_cast<Real>(draw(-1.5, 1.5)));
    bias.push_back(static_cast<Real>(draw(-0.5, 0.5)));
    curvature.push_back(static_cast<Real>(draw(0.7, 1.7)));
  }
  // Where the fields have a limit, as far below it as they go about 0 else.
  if (const double limit = unit.linear_limit(); std::isfinite(limit))
    for (Real& f : linear) f = static_cast<Real>(limit - 2.25 + static_cast<double>(f));
  if (unit.num_states() > 0) {
    values.resize(unit.num_states() * unit.width());
    unit.states({values.data(), unit.num_states(), unit.width(), unit.width()});
  }
}

double UnitSubject::weight(Index u, Index state) const {
  double score = 0.0;
  for (Index c = 0; c < unit.width(); ++c) {
    const auto v = static_cast<double>(values[state * unit.width() + c]);
    score += (static_cast<double>(linear[u * unit.width() + c]) + static_cast<double>(bias[u * unit.width() + c])) * v;
    if (unit.has_curvature()) score -= 0.5 * static_cast<double>(curvature[u * unit.width() + c]) * v * v;
  }
  return std::exp(scale * score);
}

double UnitSubject::total(Index u) const {
  double sum = 0.0;
  for (Index s = 0; s < unit.num_states(); ++s) sum += weight(u, s);
  return sum;
}

ConstFields UnitSubject::fields(Index rows) const {
  ConstFields f{{linear_rows.data(), rows, columns, columns}};
  if (unit.has_curvature()) f.curvature = {curvature.data(), rows, columns, 0};
  f.bias = bias.data();
  f.scale = scales.data();
  return f;
}

void UnitSubject::find_moments() {
  scales.assign(num_draws, static_cast<Real>(scale));
  for (Index r = 0; r < num_draws; ++r) linear_rows.insert(linear_rows.end(), linear.begin(), linear.end());
  mean.resize(columns);
  second.resize(columns);
  unit.moments(fields(1), {mean.data(), 1, columns, columns},
               unit.has_curvature() ? MatrixRef{second.data(), 1, columns, columns} : MatrixRef{});
}

double UnitSubject::log_partition(Index column, double by_linear, double by_curvature) const {
  std::vector<double> x(linear.begin(), linear.end()), b(bias.begin(), bias.end()),
      q(curvature.begin(), curvature.end());
  x[column] += by_linear;
  q[column] += by_curvature;
  BasicFields<const double> f{{x.data(), 1, columns, columns}};
  if (unit.has_curvature()) f.curvature = {q.data(), 1, columns, columns};
  f.bias = b.data();
  f.scale = &scale;
  double sum = 0.25;  // it adds to what is there
  unit.add_log_partition(f, {&sum, 1});
  return sum - 0.25;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
