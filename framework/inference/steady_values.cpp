#include <harmonium/framework/inference/steady_values.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Of the largest value: that of sums of the model's numbers, 2e-6 of single precision.
constexpr double share_of_rounding = std::max(1e-12, 16.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()));

}  // namespace

bool is_constant(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return low == high;
}

SteadyValues::SteadyValues(const std::vector<double>& values) : values_(values) {
  const auto [low, high] = std::ranges::minmax(values);
  if (low < high && high - low <= share_of_rounding * std::max(std::abs(low), std::abs(high)))
    level_.assign(values.size(), values.front());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
