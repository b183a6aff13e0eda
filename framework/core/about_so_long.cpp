#include <harmonium/framework/core/about_so_long.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

/// "1 minute", "3.2 minutes".
std::string count_words(double count, const char* unit) {
  const std::string number = count < 99.5 ? fmt::format("{:.2g}", count) : fmt::format("{:.0f}", count);
  return fmt::format("{} {}{}", number, unit, number == "1" ? "" : "s");
}

}  // namespace

std::string about_so_long(double seconds) {
  if (seconds < 99.5) return count_words(std::max(0.1, seconds), "second");
  if (seconds < 99.5 * 60.0) return count_words(seconds / 60.0, "minute");
  return count_words(seconds / 3600.0, "hour");
}

}  // namespace v1
}  // namespace harmonium
