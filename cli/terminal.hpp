#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <harmonium/cli/pace.hpp>
#include <harmonium/cli/paced_lines.hpp>
#include <harmonium/cli/progress_line.hpp>
#include <harmonium/framework/execution/display.hpp>

namespace harmonium {
inline namespace v1 {

/// A text on one line that a terminal only shows: what it would obey or cannot show (control characters, bytes that are no
/// UTF-8, marks of direction) is written as \n, \t, \r or \x1B. Names of files and of what is in them can hold anything.
std::string printable(std::string_view text);

/// One line on standard error, made printable, and without the middle of what is longer than any screen. Where that cannot be written, nobody can be told, and nothing happens.
void say(const std::string& line);

/// Progress and remarks on standard error: a bar where that is a terminal; where it is not, warnings and a few lines of progress, without
/// carriage returns; nothing at all when quiet. Standard output is left to results.
class Terminal final : public Display {
 public:
  explicit Terminal(bool quiet);
  ~Terminal() override { finish(); }

  void note(const std::string& line) override;
  void warn(const std::string& line) override;
  void progress(double fraction, const std::string& what) override;
  void finish() override;

  /// Whether a person sees the bar.
  bool watched() const { return watched_; }
  /// A step that somebody who reads the log wants to know of, such as an epoch: the first few, then one a minute, and the last.
  void log(double fraction, const std::string& what);
  /// A line by itself that somebody who reads the log wants to know, such as what a run came to.
  void log(const std::string& line);

  /// Whether a bar stands on the last line of standard error; may be asked in a signal's handler.
  static bool shows_bar() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  WorkShown shown(double fraction, const std::string& what) const;

  bool quiet_, watched_;
  bool bar_ = false;
  Clock::time_point start_ = Clock::now();
  double last_ = 0.0;  ///< when a bar or a line was last written
  Pace pace_;
  PacedLines lines_;
};

}  // namespace v1
}  // namespace harmonium
