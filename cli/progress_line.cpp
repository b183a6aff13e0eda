#include <harmonium/cli/progress_line.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <harmonium/cli/width.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t blank = 2, least_cells = 8, most_cells = 24;

std::string clock_words(double seconds) {
  const auto s = std::llround(seconds);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

/// Of a few seconds tenths, of which 0:00 would say nothing.
std::string time_taken(double seconds) {
  constexpr double few = 9.95;  // as which 10 seconds would be written
  return seconds < few ? fmt::format("{:.1f} s", seconds) : clock_words(seconds);
}

/// Empty while nothing is known.
std::string time_words(const WorkShown& work) {
  if (work.left) return clock_words(*work.left) + " left";
  // Of work that is first heard of at its end nothing is known.
  return work.share < 1.0 || work.elapsed <= 0.0 ? "" : "took " + time_taken(work.elapsed);
}

/// Nothing is done before it is.
std::string share_words(double share) { return fmt::format("{:.0f}%", std::floor(100.0 * share + 1e-9)); }

std::vector<std::string> parts_of_work(const std::string& what) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < what.size();) {
    const std::size_t to = std::min(what.find("  ", from), what.size());
    if (to > from) parts.push_back(what.substr(from, to - from));
    from = std::min(to + blank, what.size());
  }
  return parts;
}

}  // namespace

std::string progress_line(const WorkShown& work, std::size_t columns) {
  const double share = std::clamp(work.share, 0.0, 1.0);
  std::string text = fmt::format("{:>4}", share_words(share));
  if (columns <= text.size()) return "";
  std::size_t room = columns - 1 - text.size();  // the cursor stays on the line
  const auto add = [&](const std::string& part) {
    if (part.empty() || blank + width_of(part) > room) return;
    text += std::string(blank, ' ') + part;
    room -= blank + width_of(part);
  };
  add(time_words(work));
  const std::vector<std::string> parts = parts_of_work(work.what);
  if (!parts.empty()) add(parts[0]);
  constexpr std::size_t frame = 3;  // brackets, and a space
  const bool bar = room >= frame + least_cells;
  if (bar) room -= frame + least_cells;
  for (std::size_t i = 1; i < parts.size(); ++i) add(parts[i]);
  if (!bar) return text;
  const std::size_t cells = std::min(most_cells, least_cells + room);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(cells));
  return fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(cells - filled, '.'), text);
}

std::string log_line(const WorkShown& work) {
  std::string text = work.what + (work.what.empty() ? "" : "  ") + share_words(std::clamp(work.share, 0.0, 1.0));
  const std::string time = time_words(work);
  return time.empty() ? text : text + "  " + time;
}

}  // namespace v1
}  // namespace harmonium
