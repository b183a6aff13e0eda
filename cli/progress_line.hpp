#pragma once

#include <optional>
#include <string>

namespace harmonium {
inline namespace v1 {

/// How far some work is.
struct WorkShown {
  double share = 0.0;               ///< that is done, from 0 to 1
  double elapsed = 0.0;             ///< seconds
  std::optional<double> left = {};  ///< seconds; none: not known, or the end
  std::string what = {};            ///< printable; parts with two spaces between, the most important first
};

/// For the last line of a terminal, of fewer than `columns` columns: a bar, the share, the time left, and the parts of `what`. A part
/// that has no room is left out whole: first the later parts of `what`, then the bar, then the first part, then the time.
std::string progress_line(const WorkShown& work, std::size_t columns);

/// For a log: all of it, without a bar.
std::string log_line(const WorkShown& work);

}  // namespace v1
}  // namespace harmonium
