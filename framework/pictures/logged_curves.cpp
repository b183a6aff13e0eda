#include <harmonium/framework/pictures/logged_curves.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::optional<std::string> without(const std::string& name, std::string_view end) {
  if (!name.ends_with(end) || name.size() == end.size()) return {};
  return name.substr(0, name.size() - end.size());
}

bool has_interval(const MetricsLog& log, const std::string& name) {
  return log.find(name + "_low") && log.find(name + "_high");
}

/// The figure that a series belongs to: its own, or the one whose band it is of.
std::string figure_of(const MetricsLog& log, const std::string& name) {
  for (const char* end : {"_low", "_high"})
    if (const auto base = without(name, end); base && has_interval(log, *base)) return *base;
  if (const auto base = without(name, "_error"); base && (log.find(*base) || has_interval(log, *base))) return *base;
  return name;
}

/// A point for each epoch at which any of the series was taken.
std::vector<CurvePoint> points_at(std::initializer_list<const MetricSeries*> all) {
  std::vector<double> epochs;
  for (const MetricSeries* series : all)
    if (series) epochs.insert(epochs.end(), series->epochs.begin(), series->epochs.end());
  std::ranges::sort(epochs);
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  std::vector<CurvePoint> points;
  points.reserve(epochs.size());
  for (const double epoch : epochs) points.push_back({epoch, unknown, unknown, unknown, unknown});
  return points;
}

/// put(point, value) for each value of a series.
template <class Put>
void fill(std::vector<CurvePoint>& points, const MetricSeries* series, const Put& put) {
  auto point = points.begin();
  for (std::size_t i = 0; series && i < series->epochs.size(); ++i) {
    while (point->epoch < series->epochs[i]) ++point;
    put(*point, series->values[i]);
  }
}

LoggedCurve curve_of(const MetricsLog& log, const std::string& name) {
  using Band = LoggedCurve::Band;
  const bool interval = has_interval(log, name);
  const MetricSeries* value = log.find(name);
  const MetricSeries* low = interval ? log.find(name + "_low") : nullptr;
  const MetricSeries* high = interval ? log.find(name + "_high") : nullptr;
  const MetricSeries* error = log.find(name + "_error");
  LoggedCurve curve{name, figure_kind(name),
                    interval ? Band::interval
                    : error  ? Band::error
                             : Band::none,
                    points_at({value, low, high, error})};
  fill(curve.points, value, [](CurvePoint& p, double v) { p.value = v; });
  fill(curve.points, low, [](CurvePoint& p, double v) { p.low = v; });
  fill(curve.points, high, [](CurvePoint& p, double v) { p.high = v; });
  fill(curve.points, error, [](CurvePoint& p, double v) { p.error = v; });
  if (curve.band == Band::error)
    for (CurvePoint& p : curve.points) p.low = p.value - p.error, p.high = p.value + p.error;
  return curve;
}

}  // namespace

std::vector<LoggedCurve> logged_curves(const MetricsLog& log) {
  std::vector<LoggedCurve> curves;
  for (const MetricSeries& series : log.series) {
    const std::string name = figure_of(log, series.name);
    if (std::ranges::find(curves, name, &LoggedCurve::name) == curves.end()) curves.push_back(curve_of(log, name));
  }
  std::ranges::stable_sort(curves, {}, [](const LoggedCurve& curve) { return curve.kind.rank; });
  return curves;
}

}  // namespace v1
}  // namespace harmonium
