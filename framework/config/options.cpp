#include <harmonium/framework/config/options.hpp>

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

OptionBinder::~OptionBinder() = default;
ComponentMaker::~ComponentMaker() = default;

void OptionBinder::refuse(std::string_view name, const std::string& words) {
  throw ConfigError(fmt::format("option '{}' must be {}.", name, words));
}

// An overriding reader keeps it.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void OptionBinder::when_read(std::function<void()>) {}

double OptionBinder::widened(float value) {
  char digits[32];
  const auto written = std::to_chars(std::begin(digits), std::end(digits), value);
  double wide = static_cast<double>(value);
  std::from_chars(digits, written.ptr, wide);
  return wide;
}

Limit at_least(double low) {
  return {fmt::format("at least {}", low), [low](double v) { return v >= low; }};
}

Limit more_than(double low) {
  return {fmt::format("more than {}", low), [low](double v) { return v > low; }};
}

Limit within(double low, double high) {
  return {fmt::format("from {} to {}", low, high), [low, high](double v) { return v >= low && v <= high; }};
}

Limit finite() {
  return {"a finite number", [](double v) { return std::isfinite(v); }};
}

}  // namespace v1
}  // namespace harmonium
