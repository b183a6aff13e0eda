#include <harmonium/program/report/trend.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t least_points = 8;
constexpr double least_share = 0.05, share_at_rest = 0.1, standard_errors = 3.0;

/// A straight line through points by least squares.
struct Line {
  double slope = 0.0, error = 0.0;  ///< of the slope
  double scatter = 0.0;             ///< about the line, a standard deviation
};

Line line_through(std::span<const CurvePoint> points) {
  const auto n = static_cast<double>(points.size());
  const auto mean = [&](double CurvePoint::*member) {
    return std::accumulate(points.begin(), points.end(), 0.0,
                           [&](double sum, const CurvePoint& p) { return sum + p.*member; }) /
           n;
  };
  const double x = mean(&CurvePoint::epoch), y = mean(&CurvePoint::value);
  double xx = 0.0, xy = 0.0, rest = 0.0;
  for (const CurvePoint& p : points) xx += (p.epoch - x) * (p.epoch - x), xy += (p.epoch - x) * (p.value - y);
  const double slope = xy / xx;
  for (const CurvePoint& p : points) rest += std::pow(p.value - y - slope * (p.epoch - x), 2.0);
  const double scatter = std::sqrt(rest / (n - 2.0));
  return {slope, scatter / std::sqrt(xx), scatter};
}

}  // namespace

std::optional<Trend> trend_of(const LoggedCurve& curve) {
  std::vector<CurvePoint> points;
  std::ranges::copy_if(curve.points, std::back_inserter(points),
                       [](const CurvePoint& p) { return std::isfinite(p.value); });
  if (points.size() < least_points) return {};
  const auto [low, high] = std::ranges::minmax_element(points, {}, &CurvePoint::value);
  const double range = high->value - low->value;
  const std::span<const CurvePoint> half = std::span(points).subspan(points.size() / 2);
  const Line line = line_through(half);
  Trend trend;
  trend.change = line.slope * (half.back().epoch - half.front().epoch);
  trend.share = range > 0.0 ? std::min(1.0, std::abs(trend.change) / range) : 0.0;
  const double open = standard_errors * line.error * (half.back().epoch - half.front().epoch);
  if (trend.share > least_share && std::abs(trend.change) > open) trend.state = Trend::State::moves;
  else if (std::abs(trend.change) + open <= share_at_rest * range) trend.state = Trend::State::rests;
  trend.last = points.back().value;
  trend.best = high->value;
  if (trend.best - trend.last > std::max(standard_errors * line.scatter, least_share * range))
    trend.best_epoch = high->epoch;
  return trend;
}

}  // namespace v1
}  // namespace harmonium
