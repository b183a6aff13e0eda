#include <harmonium/framework/diagnostics/windowed_time.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr double times_of_window = 5.0;
/// Bins of a twentieth of τ leave 40 of them in a window, whatever τ is: the sum takes a time that does not grow with it.
constexpr double bins_of_time = 20.0;

double mean_of_all(Series series) {
  double sum = 0.0;
  for (Index r = 0; r < series.rows; ++r) sum = std::accumulate(series[r].begin(), series[r].end(), sum);
  return sum / static_cast<double>(series.rows * series.cols);
}

double variance_about(Series series, double mean) {
  double sum = 0.0;
  for (Index r = 0; r < series.rows; ++r)
    for (const double x : series[r]) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(series.rows * series.cols);
}

/// The means of stretches of `length` steps less `mean`, chain after chain; what is left at the end of a chain is left out.
std::vector<double> bins_about(Series series, double mean, Index length) {
  std::vector<double> bins;
  for (Index r = 0; r < series.rows; ++r)
    for (Index b = 0; b < series.cols / length; ++b) {
      const auto own = series[r].subspan(b * length, length);
      bins.push_back(std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(length) - mean);
    }
  return bins;
}

/// The mean over all chains of x_t x_{t+lag}.
double lagged_product(Series x, Index lag) {
  double sum = 0.0;
  for (Index r = 0; r < x.rows; ++r)
    sum += std::inner_product(x[r].begin() + static_cast<std::ptrdiff_t>(lag), x[r].end(), x[r].begin(), 0.0);
  return sum / static_cast<double>(x.rows * (x.cols - lag));
}

/// Γ(0) + 2 Σ_{t≤W} Γ(t), and W.
struct WindowedSum {
  double sum;
  Index window;
};

/// Nothing where a fourth of the series is no window.
std::optional<WindowedSum> sum_to_window(Series x) {
  const double variance = lagged_product(x, 0);
  WindowedSum found{variance, 0};
  // Alternating values would close it at once: it is no shorter than that of independent ones.
  while (static_cast<double>(found.window) * variance < times_of_window * 0.5 * std::max(found.sum, variance)) {
    if (4 * ++found.window > x.cols) return {};
    found.sum += 2.0 * lagged_product(x, found.window);
  }
  if (!(found.sum > 0.0)) return {};
  return found;
}

}  // namespace

std::optional<NumberWithError> windowed_autocorrelation_time(Series series) {
  const double mean = mean_of_all(series);
  const double variance = variance_about(series, mean);
  if (!(variance > 1e-24 * mean * mean))
    return {};  // what rounding leaves of equal numbers; or a value that is no number
  // The sum over all lags is that of bins, times their length, whatever that is.
  const Index length = std::max<Index>(1, static_cast<Index>(batch_means_autocorrelation_time(series) / bins_of_time));
  const std::vector<double> bins = bins_about(series, mean, length);
  const Index bins_per_chain = series.cols / length;
  const auto found = sum_to_window({bins.data(), series.rows, bins_per_chain, bins_per_chain});
  if (!found) return {};
  const auto chains = static_cast<double>(series.rows), steps = static_cast<double>(series.cols);
  const double of_bin = static_cast<double>(length), window = static_cast<double>(found->window);
  double time = of_bin * found->sum / variance;
  // Deviations are from the mean of the values themselves, so that each Γ(t) lacks τ Γ(0)/N.
  time *= (1.0 + of_bin * (2.0 * window + 1.0) / (chains * steps)) / (1.0 + time / (chains * steps));
  if (time * least_times_of_one > steps || time * least_times_of_all > chains * steps) return {};
  const double pairs = chains * (steps - of_bin * window);
  return NumberWithError{time, time * std::sqrt((4.0 * of_bin * (window + 0.5) - 2.0 * time) / pairs)};
}

}  // namespace v1
}  // namespace harmonium
