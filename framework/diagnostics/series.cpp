#include <harmonium/framework/diagnostics/series.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

double mean_of(std::span<const double> v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

std::vector<double> means_of_rows(Series series) {
  std::vector<double> means;
  for (Index r = 0; r < series.rows; ++r) means.push_back(mean_of(series[r]));
  return means;
}

/// The mean over all chains of (x_t − m)(x_{t+lag} − m).
double autocovariance(Series series, double mean, Index lag) {
  double sum = 0.0;
  for (Index r = 0; r < series.rows; ++r) {
    const std::span<const double> x = series[r];
    for (Index t = 0; t + lag < x.size(); ++t) sum += (x[t] - mean) * (x[t + lag] - mean);
  }
  return sum / static_cast<double>(series.rows * series.cols);
}

/// Whether a variance is more than what rounding leaves of equal numbers.
bool fluctuates(double variance, double mean) { return variance > 1e-24 * mean * mean; }

/// Σ (v − mean)².
double squares_about(std::span<const double> v, double mean) {
  double sum = 0.0;
  for (const double x : v) sum += (x - mean) * (x - mean);
  return sum;
}

/// R-hat of halves of chains, `values` being by chain and time.
double split_r_hat(std::span<const double> values, Index chains) {
  const Index steps = values.size() / chains, half = steps / 2;
  std::vector<double> means, variances;
  for (Index c = 0; c < chains; ++c)
    for (const Index begin : {c * steps, (c + 1) * steps - half}) {
      const auto part = values.subspan(begin, half);
      means.push_back(mean_of(part));
      variances.push_back(squares_about(part, means.back()) / static_cast<double>(half - 1));
    }
  const double n = static_cast<double>(half), within = mean_of(variances);
  const double between = squares_about(means, mean_of(means)) / static_cast<double>(means.size() - 1);
  if (between == 0.0) return 1.0;
  return within > 1e-24 * between ? std::sqrt((n - 1.0) / n + between / within)
                                  : std::numeric_limits<double>::infinity();
}

/// Φ⁻¹((rank − 3/8) / (count + 1/4)), equal values having their mean rank.
std::vector<double> normal_scores(const std::vector<double>& values) {
  struct Placed {
    double value;
    Index at;
  };
  std::vector<Placed> order(values.size());
  for (Index i = 0; i < values.size(); ++i) order[i] = {values[i], i};
  std::ranges::sort(order, {}, &Placed::value);
  // A double's precision is more than scores need: in long double they would take longer than all else.
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::normal_distribution<double, InDouble> normal;
  std::vector<double> scores(values.size());
  for (Index first = 0; first < order.size();) {
    Index last = first;
    while (last < order.size() && order[last].value == order[first].value) ++last;
    const double rank = 0.5 * static_cast<double>(first + 1 + last);
    const double score = quantile(normal, (rank - 0.375) / (static_cast<double>(values.size()) + 0.25));
    for (; first < last; ++first) scores[order[first].at] = score;
  }
  return scores;
}

}  // namespace

double monotone_autocorrelation_time(Series series) {
  const double mean = mean_of(means_of_rows(series)), variance = autocovariance(series, mean, 0);
  if (!fluctuates(variance, mean)) return 1.0;
  double time = -1.0, last = std::numeric_limits<double>::infinity();
  for (Index lag = 0; lag + 1 < series.cols / 2; lag += 2) {
    const double pair = (autocovariance(series, mean, lag) + autocovariance(series, mean, lag + 1)) / variance;
    if (!(pair > 0.0)) break;
    last = std::min(last, pair);
    time += 2.0 * last;
  }
  return std::max(time, 1.0);
}

double batch_means_autocorrelation_time(Series series) {
  const double mean = mean_of(means_of_rows(series)), variance = autocovariance(series, mean, 0);
  const Index batch = std::max<Index>(1, series.cols / 8);
  if (!fluctuates(variance, mean)) return 1.0;
  double squares = 0.0;
  for (Index r = 0; r < series.rows; ++r) {
    const std::span<const double> x = series[r];
    double sum = std::accumulate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(batch), 0.0);
    for (Index first = 0;; ++first) {
      const double off = sum / static_cast<double>(batch) - mean;
      squares += off * off;
      if (first + batch == x.size()) break;
      sum += x[first + batch] - x[first];
    }
  }
  const double of_batches = squares / static_cast<double>(series.rows * (series.cols - batch + 1));
  return std::max(1.0, static_cast<double>(batch) * of_batches / variance);
}

double rank_normalized_r_hat(Series series) {
  std::vector<double> values;
  for (Index r = 0; r < series.rows; ++r) values.insert(values.end(), series[r].begin(), series[r].end());
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); }))  // such have no ranks
    return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted = values;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  const double median = values.size() % 2 == 1 ? *middle : 0.5 * (*middle + *std::max_element(sorted.begin(), middle));
  std::vector<double> folded = values;
  for (double& v : folded) v = std::abs(v - median);
  return std::max(split_r_hat(normal_scores(values), series.rows), split_r_hat(normal_scores(folded), series.rows));
}

namespace {

/// The F test of means of `group` neighbors each: that their variance between groups is as that within them.
double alike_probability(const std::vector<double>& means, Index group) {
  const Index num_groups = means.size() / group;
  const auto groups = static_cast<double>(num_groups), size = static_cast<double>(group);
  std::vector<double> of_groups;
  double within = 0.0;
  for (Index first = 0; first < means.size(); first += group) {
    const auto part = std::span(means).subspan(first, group);
    of_groups.push_back(mean_of(part));
    within += squares_about(part, of_groups.back());
  }
  const double between = size * squares_about(of_groups, mean_of(of_groups));
  if (between == 0.0) return 1.0;
  if (within == 0.0) return 0.0;
  const double ratio = (between / (groups - 1.0)) / (within / (groups * (size - 1.0)));
  return cdf(complement(boost::math::fisher_f_distribution<>(groups - 1.0, groups * (size - 1.0)), ratio));
}

}  // namespace

double equal_means_probability(Series series, Index group) { return alike_probability(means_of_rows(series), group); }

double forgotten_halves_probability(Series series) {
  const Index half = series.cols / 2;
  std::vector<double> means;
  for (Index r = 0; r < series.rows; ++r)
    for (const Index begin : {Index{0}, series.cols - half}) means.push_back(mean_of(series[r].subspan(begin, half)));
  return alike_probability(means, 2);
}

}  // namespace v1
}  // namespace harmonium
