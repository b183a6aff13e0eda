#include <harmonium/program/report/trend.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t least_points = 8;
constexpr double least_share = 0.05, share_at_rest = 0.1, standard_errors = 3.0;
constexpr double by_chance = 0.0027;  // what three standard errors of a normal law leave on both sides

/// A straight line through points by least squares.
struct Line {
  double slope = 0.0, error = 0.0;    ///< of the slope
  double scatter = 0.0;               ///< about the line, a standard deviation
  double end = 0.0, end_error = 0.0;  ///< its value at the last point
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
  const double reach = points.back().epoch - x;
  return {slope, scatter / std::sqrt(xx), scatter, y + slope * reach,
          scatter * std::sqrt(1.0 / n + reach * reach / xx)};
}

/// How far the highest of `points` values may lie above the end of a line through `fitted` of them by chance alone, in standard
/// errors: Student's quantile, for each of the points a share of that chance (Bonferroni).
double highest_by_chance(std::size_t points, std::size_t fitted) {
  const boost::math::students_t law(static_cast<double>(fitted) - 2.0);
  return boost::math::quantile(boost::math::complement(law, by_chance / static_cast<double>(points)));
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
  trend.end = line.end;
  trend.best = high->value;
  // The last value has a scatter of its own: the best is held against where the line ends.
  const double chance = highest_by_chance(points.size(), half.size()) * std::hypot(line.scatter, line.end_error);
  if (trend.best - line.end > std::max(chance, least_share * range)) trend.best_epoch = high->epoch;
  return trend;
}

}  // namespace v1
}  // namespace harmonium
