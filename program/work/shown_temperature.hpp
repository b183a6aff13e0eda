#pragma once

namespace harmonium {
inline namespace v1 {

/// What tables and figures show of a temperature: β, or T = 1/β where the command named temperatures.
struct ShownTemperature {
  bool by_temperature = false;

  double value(double beta) const { return by_temperature ? 1.0 / beta : beta; }
  const char* name() const { return by_temperature ? "T" : "beta"; }
};

}  // namespace v1
}  // namespace harmonium
