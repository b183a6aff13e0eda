#include <harmonium/framework/inference/average_finder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <harmonium/framework/diagnostics/block_jackknife.hpp>
#include <harmonium/framework/diagnostics/windowed_time.hpp>
#include <harmonium/framework/inference/steady_values.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double times_of_chain = 50.0, times_of_block = 5.0;

double mean_of_values(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

}  // namespace

std::vector<double> of_each(const std::vector<double>& x, FunctionRef<double(double)> f) {
  std::vector<double> y(x.size());
  std::ranges::transform(x, y.begin(), [&](double v) { return f(v); });
  return y;
}

AverageFinder::AverageFinder(Index chains, Index steps)
    : chains_(chains), steps_(steps), blocks_(std::min(BlockJackknife::usual_blocks(chains), steps)) {}

ThermalAverage AverageFinder::mean(std::string name, const Values& x) const {
  return function(
      std::move(name), {&x}, [](std::span<const double> m) { return m[0]; }, x);
}

ThermalAverage AverageFinder::function(std::string name, std::initializer_list<const Values*> of,
                                       FunctionRef<double(std::span<const double>)> f, const Values& linear) const {
  std::vector<Series> all;
  for (const Values* x : of) all.push_back(series(*x));
  const NumberWithError found = ChainJackknife(all, blocks_).estimate(f);
  ThermalAverage a{std::move(name), found.value, found.error};
  if (std::ranges::all_of(of, [](const Values* x) { return is_constant(*x); })) {
    a.error = 0.0;  // without what means of equal numbers are rounded by
    return a;
  }
  a.time = batch_means_autocorrelation_time(series(linear));
  a.windowed_time = windowed_autocorrelation_time(series(linear));
  a.r_hat = rank_normalized_r_hat(series(linear));
  const auto steps = static_cast<double>(steps_), block = steps / static_cast<double>(blocks_);
  a.long_enough =
      a.time * times_of_chain <= steps && a.time * times_of_block <= block && a.r_hat <= most_r_hat_of_averages;
  return a;
}

ThermalAverage AverageFinder::fluctuation(std::string name, const Values& x, double factor) const {
  const double average = mean_of_values(x);
  const Values off = of_each(x, [&](double v) { return v - average; });
  const Values squares = of_each(off, [](double v) { return v * v; });
  return in_unit(function(
                     {}, {&squares, &off}, [](std::span<const double> m) { return m[0] - m[1] * m[1]; }, squares),
                 std::move(name), factor);
}

ThermalAverage AverageFinder::cumulant(std::string name, const Values& squares, double factor) const {
  if (mean_of_values(squares) == 0.0) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    ThermalAverage undefined{std::move(name), none, none};
    undefined.long_enough = true;  // more steps would not tell it
    return undefined;
  }
  const Values fourth = of_each(squares, [](double v) { return v * v; });
  // U = 1 − a/(3b²): dU = −(da − 2 (a/b) db)/(3b²).
  const double ratio = mean_of_values(fourth) / mean_of_values(squares);
  Values linear = fourth;
  for (Index i = 0; i < linear.size(); ++i) linear[i] -= 2.0 * ratio * squares[i];
  return function(
      std::move(name), {&fourth, &squares},
      [&](std::span<const double> moments) { return factor * (1.0 - moments[0] / (3.0 * moments[1] * moments[1])); },
      linear);
}

ThermalAverage in_unit(ThermalAverage a, std::string name, double factor) {
  a.name = std::move(name);
  a.value *= factor;
  a.error *= std::abs(factor);
  return a;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
