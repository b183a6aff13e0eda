#pragma once

#include <optional>
#include <string>
#include <utility>

namespace harmonium {
inline namespace v1 {

/// Which lines of a log are written where there could be thousands: the first few, then at most one a minute, and the last.
class PacedLines {
 public:
  static constexpr int first_few = 3;
  static constexpr double between = 60.0;  ///< seconds

  /// Whether the line is due `now`, in seconds; else it is kept, in place of one that was kept before.
  bool due(const std::string& line, double now) {
    if (written_ >= first_few && now - last_ < between) {
      kept_ = line;
      return false;
    }
    ++written_;
    last_ = now;
    kept_.reset();
    return true;
  }
  /// The line that was kept, once: there are no more for now.
  std::optional<std::string> take_last() {
    std::optional<std::string> line = std::move(kept_);
    kept_.reset();
    return line;
  }

 private:
  int written_ = 0;
  double last_ = 0.0;
  std::optional<std::string> kept_;
};

}  // namespace v1
}  // namespace harmonium
