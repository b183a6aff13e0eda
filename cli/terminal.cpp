#include <harmonium/cli/terminal.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

std::string clock_words(double seconds) {
  const auto s = std::lround(seconds);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void say(const std::string& line) { put(line + "\n"); }

Terminal::Terminal(bool quiet) : quiet_(quiet), watched_(!quiet && isatty(STDERR_FILENO) == 1) {}

void Terminal::note(const std::string& line) {
  if (!watched_) return;
  finish();
  say(line);
}

void Terminal::warn(const std::string& line) {
  if (quiet_) return;
  finish();
  say("harmonium: note: " + line);
}

void Terminal::progress(double fraction, const std::string& what) {
  if (!watched_) return;
  const auto now = Clock::now();
  if (fraction < 1.0 && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string times = fraction > 0.0 && fraction < 1.0 && elapsed > 1.0
                                ? fmt::format(" {} left", clock_words(elapsed * (1.0 - fraction) / fraction))
                                : fmt::format(" {}", clock_words(elapsed));
  constexpr std::size_t width = 24;
  const auto filled = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(width));
  std::string line = fmt::format("[{}{}] {:3.0f}%{}  {}", std::string(filled, '#'), std::string(width - filled, '.'),
                                 100.0 * fraction, times, what);
  const std::size_t columns = terminal_columns();
  if (line.size() >= columns) line.resize(columns - 1);
  put("\r\033[K" + line);
  bar_ = true;
}

void Terminal::finish() {
  if (!bar_) return;
  put("\n");
  bar_ = false;
}

}  // namespace v1
}  // namespace harmonium
