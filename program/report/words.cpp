#include <harmonium/program/report/words.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

/// Decimals that show two digits of a width.
int decimals_for(double width) {
  return width > 0.0 && std::isfinite(width) ? std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, 6)
                                             : 3;
}

}  // namespace

std::string number_words(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

std::string time_words(double seconds) {
  if (seconds < 0.095) return "less than 0.1 s";
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  const long minutes = std::lround(seconds / 60.0);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string interval_range(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  const auto [low, high] = *interval;
  if (low == high) return "exact";
  const int digits = decimals_for(high - low);
  if (!std::isfinite(low) && !std::isfinite(high)) return "nothing is known";
  if (!std::isfinite(low)) return fmt::format("at most {:.{}f}", high, digits);
  if (!std::isfinite(high)) return fmt::format("at least {:.{}f}", low, digits);
  return fmt::format("{:.{}f} to {:.{}f}", low, digits, high, digits);
}

std::string estimate_words(double value, const std::optional<Interval>& interval) {
  if (!interval || interval->low == interval->high) return fmt::format("{:.3f} nats a row", value);
  return fmt::format("{:.{}f} nats a row, from {} (95 %)", value, decimals_for(interval->high - interval->low),
                     interval_range(interval));
}

std::string absent_reason(const Evaluation& evaluation, const std::string& figure) {
  const auto found = std::ranges::find(evaluation.reasons, figure, &std::pair<std::string, std::string>::first);
  return found == evaluation.reasons.end() ? "" : sentence(found->second);
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + ".";
}

std::string without_stop(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  return text;
}

std::string in_sentence(std::string name) {
  if (!name.empty()) name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace v1
}  // namespace harmonium
