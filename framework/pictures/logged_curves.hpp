#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/files/metrics_log.hpp>
#include <harmonium/framework/pictures/figure_kinds.hpp>

namespace harmonium {
inline namespace v1 {

/// A figure after an epoch. NaN stands for what is not known: a value whose ways to it did not agree, its band, its error.
struct CurvePoint {
  double epoch = 0.0, value = 0.0, low = 0.0, high = 0.0, error = 0.0;
};

/// A figure along a run with what the log says of its error.
struct LoggedCurve {
  /// none: not known; error: one standard error to either side; interval: 95 %.
  enum class Band { none, error, interval };
  std::string name;
  FigureKind kind;
  Band band = Band::none;
  std::vector<CurvePoint> points;  ///< epochs ascending, at least one
};

/// The figures of a log, by interest, and alike in the order of the log. NAME_low with NAME_high, and else NAME_error, are the band
/// of NAME and no figures of their own; NAME_error beside such an interval is that of the rows, of which the interval has nothing.
std::vector<LoggedCurve> logged_curves(const MetricsLog& log);

}  // namespace v1
}  // namespace harmonium
