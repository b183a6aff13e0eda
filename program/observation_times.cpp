#include <harmonium/program/observation_times.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/diagnostics/windowed_time.hpp>

namespace harmonium {
inline namespace v1 {

std::string time_text(const ObservedNumber& number) {
  const auto& time = number.autocorrelation_time;
  if (!time) return "not known";
  const int digits = std::max(0, 1 - static_cast<int>(std::floor(std::log10(time->error))));
  return fmt::format("{:.{}f} ± {:.{}f}", time->value, digits, time->error, digits);
}

std::string unknown_times_text(const Observation& found) {
  const auto unknown = [](const ObservedNumber& n) { return !n.autocorrelation_time; };
  const bool any = std::ranges::any_of(found.temperatures, [&](const ObservedTemperature& t) {
    return std::ranges::any_of(t.numbers, unknown) ||
           std::ranges::any_of(t.correlations, unknown, &ObservedCorrelation::number);
  });
  if (!any) return "";
  if (found.num_steps < least_steps_of_errors)
    return fmt::format("not known: of series of fewer than {} steps\n", least_steps_of_errors);
  return fmt::format(
      "not known: of chains of fewer than {:.0f} times it each or {:.0f} together, that differ (R-hat above 1.05), or "
      "of\n    a number that stayed the same\n",
      least_times_of_one, least_times_of_all);
}

}  // namespace v1
}  // namespace harmonium
