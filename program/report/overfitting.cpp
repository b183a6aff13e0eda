#include <harmonium/program/report/overfitting.hpp>

#include <algorithm>
#include <cmath>

#include <harmonium/framework/config/subtable.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr double errors_of_gap = 3.0, near_zero = 0.05;

struct GapPoint {
  double value, error;
};

std::optional<RowsGap> gap_along(const std::string& figure, const std::vector<GapPoint>& points) {
  if (points.size() < 2) return {};
  const auto [last, error] = points.back();
  RowsGap gap{figure, points.front().value, last, error, false};
  gap.grew = std::min(last, last - gap.first) > errors_of_gap * error;
  return gap;
}

/// The rows of the two parts are others: their errors add in quadrature.
std::vector<GapPoint> gap_between(const LoggedCurve& training, const LoggedCurve& validation) {
  std::vector<GapPoint> points;
  for (const CurvePoint& v : validation.points) {
    const auto t = std::ranges::find(training.points, v.epoch, &CurvePoint::epoch);
    if (t == training.points.end()) continue;
    const GapPoint p{t->value - v.value, std::hypot(t->error, v.error)};
    if (std::isfinite(p.value) && std::isfinite(p.error) && p.error > 0.0) points.push_back(p);
  }
  return points;
}

}  // namespace

std::optional<RowsGap> gap_of_rows(const std::vector<LoggedCurve>& curves) {
  std::optional<RowsGap> found;
  const auto take = [&](const std::optional<RowsGap>& gap) {
    if (gap && (!found || (gap->grew && !found->grew))) found = gap;
  };
  for (const LoggedCurve& curve : curves) {
    if (curve.name == "free_energy_gap") {
      std::vector<GapPoint> points;
      for (const CurvePoint& p : curve.points)
        if (std::isfinite(p.value) && std::isfinite(p.error) && p.error > 0.0) points.push_back({p.value, p.error});
      take(gap_along("free energy", points));
    }
    if (!curve.kind.more_is_better || curve.kind.unit != "nats a row") continue;  // a gap of shares is none in nats
    const auto validation = std::ranges::find(curves, "validation_" + curve.name, &LoggedCurve::name);
    if (validation != curves.end()) take(gap_along(curve.kind.title, gap_between(curve, *validation)));
  }
  return found;
}

bool rate_ends_near_zero(const Value& config, double epochs) {
  const Value* optimizer = subtable(config, "optimizer");
  const Value* schedule = optimizer ? subtable(*optimizer, "schedule") : nullptr;
  if (!schedule) return false;
  const auto option = [&](const char* name) -> std::optional<double> {
    const Value* value = schedule->find(name);
    return value ? value->number() : std::nullopt;
  };
  if (const auto final = option("final")) return *final < near_zero;
  const auto time = option("time"), power = option("power");
  return time && power && std::pow(1.0 + epochs / *time, -*power) < near_zero;
}

}  // namespace v1
}  // namespace harmonium
