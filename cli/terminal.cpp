#include <harmonium/cli/terminal.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::atomic<bool> bar_shown{false};

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

/// Bytes of the well-formed UTF-8 character at the front of `text` that has a shape on a terminal; 0 where there is none.
std::size_t shown_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
  // U+0080 to U+009F, which some terminals obey, and the marks that turn the direction of what follows.
  if (lead == 0xC2 && byte(1) < 0xA0) return 0;
  if (lead == 0xE2 && byte(1) == 0x80 && ((byte(2) >= 0xA8 && byte(2) <= 0xAE))) return 0;
  if (lead == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 0;
  return length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = shown_length(text);
    if (length > 0) out += text.substr(0, length);
    else if (text[0] == '\n') out += "\\n";
    else if (text[0] == '\t') out += "\\t";
    else if (text[0] == '\r') out += "\\r";
    else out += fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void say(const std::string& line) {
  // No message of ours is that long; the name of a file or of a key in it may be.
  constexpr std::size_t most = 4000, head = 3000, tail = 500;
  if (line.size() <= most) {
    put(printable(line) + "\n");
    return;
  }
  const std::string_view text = line;
  put(fmt::format("{} [... {} bytes ...] {}\n", printable(text.substr(0, head)), text.size() - head - tail,
                  printable(text.substr(text.size() - tail))));
}

bool Terminal::shows_bar() noexcept { return bar_shown; }

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

WorkShown Terminal::shown(double fraction, const std::string& what) const {
  return {fraction, pace_.elapsed(), pace_.left(), printable(what)};
}

void Terminal::progress(double fraction, const std::string& what) {
  if (quiet_) return;
  pace_.seen(fraction, now());
  const double since = now() - last_;
  if (!watched_) {
    if (since < PacedLines::between) return;
    put(log_line(shown(fraction, what)) + "\n");
  } else {
    if (bar_ && fraction < 1.0 && since < 0.1) return;
    put("\r\033[K" + progress_line(shown(fraction, what), terminal_columns()));
    bar_ = bar_shown = true;
  }
  last_ = now();
}

void Terminal::log(double fraction, const std::string& what) {
  if (quiet_ || watched_) return;
  pace_.seen(fraction, now());
  const std::string line = log_line(shown(fraction, what));
  if (lines_.due(line, now())) put(line + "\n");
  last_ = now();
}

void Terminal::log(const std::string& line) {
  if (quiet_ || watched_) return;
  finish();
  say(line);
}

void Terminal::finish() {
  if (const auto line = lines_.take_last()) put(*line + "\n");
  if (!bar_) return;
  put("\n");
  bar_ = bar_shown = false;
}

}  // namespace v1
}  // namespace harmonium
