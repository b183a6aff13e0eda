#include <harmonium/framework/diagnostics/number_with_error.hpp>

#include <cmath>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

std::string NumberWithError::text() const {
  if (!std::isfinite(value)) return "-";
  if (!std::isfinite(error)) return fmt::format("{:.6g}(?)", value);
  if (error <= 1e-12 * std::abs(value) || error < 1e-300) return fmt::format("{:.6g}(0)", value);
  auto place = static_cast<int>(std::floor(std::log10(error))) - 1;  // of the error's second digit
  auto digits = std::lround(error / std::pow(10.0, place));
  if (digits == 100) {  // 0.0996
    digits = 10;
    ++place;
  }
  if (place < -12) return fmt::format("{:.3g}({:.2g})", value, error);
  if (place < -1) return fmt::format("{:.{}f}({})", value, -place, digits);
  if (place == -1) return fmt::format("{:.1f}({:.1f})", value, static_cast<double>(digits) / 10.0);
  const double unit = std::pow(10.0, place);
  return fmt::format("{:.0f}({:.0f})", std::round(value / unit) * unit, static_cast<double>(digits) * unit);
}

}  // namespace v1
}  // namespace harmonium
