#pragma once

#include <array>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Σ_c x_c y_c in double, in eight sums side by side that are added up at the end: one sum would wait for each addition before the
/// next. The same bits whatever the instruction set.
template <class T, class U>
double exact_dot(const T* x, const U* y, Index n) {
  constexpr Index sums = 8;
  std::array<double, sums> s{};
  Index c = 0;
  for (; c + sums <= n; c += sums)
    for (Index k = 0; k < sums; ++k) s[k] += static_cast<double>(x[c + k]) * static_cast<double>(y[c + k]);
  for (Index k = 0; c < n; ++c, ++k) s[k] += static_cast<double>(x[c]) * static_cast<double>(y[c]);
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

}  // namespace v1
}  // namespace harmonium
