#include <harmonium/framework/diagnostics/two_digits.hpp>

#include <cmath>

namespace harmonium {
inline namespace v1 {

double up_to_two_digits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1.0);
  return std::ceil(value / unit) * unit;
}

}  // namespace v1
}  // namespace harmonium
