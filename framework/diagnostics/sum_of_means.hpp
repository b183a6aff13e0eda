#pragma once

#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/diagnostics/error_over_rows.hpp>

namespace harmonium {
inline namespace v1 {

/// A number, and its standard error where that can be told.
struct WithError {
  double value = 0.0;
  std::optional<double> error;
};

/// Σ_g of the mean of group g, which has m_g figures, independent of each other. Its error is the square root of Σ_g s_g² / m_g,
/// s_g² the variance within the group (stratified sampling: Cochran 1977, section 5.4): where groups lie does not count. The
/// error needs two figures of every group, and the sum needs one.
inline WithError sum_of_means(std::span<const std::vector<double>> groups) {
  WithError sum{0.0, 0.0};
  for (const std::vector<double>& group : groups) {
    sum.value += std::accumulate(group.begin(), group.end(), 0.0) / static_cast<double>(group.size());
    const std::optional<double> error = error_over_rows(group);
    sum.error = sum.error && error ? std::optional(std::hypot(*sum.error, *error)) : std::nullopt;
  }
  return sum;
}

}  // namespace v1
}  // namespace harmonium
