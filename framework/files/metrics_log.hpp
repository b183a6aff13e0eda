#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// A figure along a run: its values and the epochs, ascending and counted from 1, after which they were taken.
struct MetricSeries {
  std::string name;
  std::vector<double> epochs, values;
};

/// What metrics.jsonl of a run holds.
struct MetricsLog {
  std::uint64_t epochs = 0, updates = 0;  ///< of the last line; 0 where there is none
  std::vector<MetricSeries> series;       ///< in the order in which their names appear first

  /// Null where the run has no figure of that name.
  const MetricSeries* find(std::string_view name) const;
};

/// Reads metrics.jsonl. A last line without an end, as a kill leaves it, is left out. Throws FileError where it cannot be
/// read, DataError, with the line's number, where a line is none that a run writes.
MetricsLog read_metrics_log(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
