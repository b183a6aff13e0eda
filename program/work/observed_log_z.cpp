#include <harmonium/program/work/observed_log_z.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/log_z_along.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double enough_independent_draws = 10.0;

const ObservedNumber& energy_of(const ObservedTemperature& t) {
  return *std::ranges::find(t.numbers, "energy", &ObservedNumber::name);
}

/// Whether the draws at two neighbors say how they differ, and what their energies scatter by.
bool believed(const ObservedTemperature& colder, const ObservedTemperature& hotter, double overlap) {
  const ObservedNumber &a = energy_of(colder), &b = energy_of(hotter);
  return a.long_enough && b.long_enough &&
         overlap >= enough_independent_draws * std::max({1.0, a.batch_time, b.batch_time});
}

ObservedLogZ told(const LogZRatio& ratio, bool long_enough) {
  return {ratio.value, ratio.error, ratio.low, ratio.high, long_enough};
}

std::optional<LogZAlong> found_along(const ThermalRecord& record, const Executor& executor) {
  try {
    return log_z_along(record.temperatures, executor);
  } catch (const NumericalError&) {  // neighbors without overlap: averages at each temperature stand all the same
    return std::nullopt;
  }
}

}  // namespace

void tell_log_z(const ThermalRecord& record, const Executor& executor, Observation& found) {
  const Index count = found.temperatures.size();
  if (count < 2) return;
  const std::optional<LogZAlong> along = found_along(record, executor);
  if (!along) return;
  bool believed_so_far = true, known_so_far = true;
  for (Index t = 1; t < count; ++t) {
    const Index k = count - 1 - t;  // the record has the coldest first
    const bool known = along->overlap[k] >= 1.0;
    const bool here = believed(found.temperatures[t], found.temperatures[t - 1], along->overlap[k]);
    known_so_far = known_so_far && known;
    believed_so_far = believed_so_far && here;
    if (known_so_far) found.temperatures[t].log_z_from_hottest = told(along->from_last[k], believed_so_far);
    if (known) found.temperatures[t].log_z_from_hotter = told(along->from_next[k], here);
  }
}

void tell_exact_log_z(std::span<const double> log_z, Observation& found) {
  const auto difference = [](double to, double from) -> std::optional<ObservedLogZ> {
    const double value = to - from;
    if (!std::isfinite(value)) return std::nullopt;
    return ObservedLogZ{.value = value, .low = value, .high = value};
  };
  for (Index t = 1; t < found.temperatures.size(); ++t) {
    found.temperatures[t].log_z_from_hottest = difference(log_z[t], log_z[0]);
    found.temperatures[t].log_z_from_hotter = difference(log_z[t], log_z[t - 1]);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
