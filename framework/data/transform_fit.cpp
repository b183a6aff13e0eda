#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/data/spectrum.hpp>
#include <harmonium/framework/data/transform.hpp>

/// What a transform is fitted to rows by.
namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index fitted_at_a_time = 512;  // rows at a time, so that memory does not grow with them

// visit(first row, values less the mean) for all rows, in pieces.
template <class Visit>
void visit_pieces(const Dataset& data, const std::vector<double>& mean, const Visit& visit) {
  const Index cols = data.cols();
  std::vector<double> values(std::min(fitted_at_a_time, data.rows()) * cols);
  for (Index first = 0; first < data.rows(); first += fitted_at_a_time) {
    const MatrixView<double> rows{values.data(), std::min(fitted_at_a_time, data.rows() - first), cols, cols};
    data.fetch(first, 0, rows);
    for (Index r = 0; r < rows.rows; ++r) in_place(rows[r]) -= as_xtensor(std::span(mean));
    visit(first, rows);
  }
}

std::vector<double> shares(const Dataset& data) {
  std::vector<double> share = data.weighted() ? data.weights() : std::vector<double>(data.rows(), 1.0);
  in_place(std::span(share)) /= std::accumulate(share.begin(), share.end(), 0.0);
  return share;
}

[[noreturn]] void fail_range(const Dataset& data, const std::string& what) {
  throw ConfigError(fmt::format(
      "[data] {}: {} leaves the range of numbers. Set data.scale so that values are nearer to 1.", data.name(), what));
}

void check_means(const Dataset& data, const std::vector<double>& mean) {
  const auto wrong = std::ranges::find_if_not(mean, [](double m) { return std::isfinite(m); });
  if (wrong != mean.end())
    fail_range(data, fmt::format("the mean of column {} (counted from 0)", wrong - mean.begin()));
}

std::shared_ptr<const Transform> fit_standardizing(const Dataset& data, std::vector<Index>& constant) {
  const Index cols = data.cols();
  const std::vector<double> mean = data.column_means(), share = shares(data);
  std::vector<double> variance(cols, 0.0), total(cols, 0.0), low(cols, INFINITY), high(cols, -INFINITY);
  check_means(data, mean);
  std::vector<std::uint8_t> seen(data.has_missing() ? cols : 0);
  visit_pieces(data, mean, [&](Index first, MatrixView<double> rows) {
    for (Index r = 0; r < rows.rows; ++r) {
      if (share[first + r] == 0) continue;
      const Index which = first + r;
      if (!seen.empty()) data.seen({&which, 1}, {seen.data(), 1, cols, cols});
      for (Index c = 0; c < cols; ++c) {
        if (!seen.empty() && !seen[c]) continue;
        const double d = rows(r, c);
        variance[c] += share[first + r] * d * d;
        total[c] += share[first + r];
        low[c] = std::min(low[c], d);
        high[c] = std::max(high[c], d);
      }
    }
  });
  if (!seen.empty())
    std::ranges::transform(variance, total, variance.begin(), [](double v, double t) { return t > 0 ? v / t : 0.0; });
  // By its smallest and largest value: the variance of a constant column is rounding, not 0.
  for (Index c = 0; c < cols; ++c) {
    if (!std::isfinite(variance[c])) fail_range(data, fmt::format("the variance of column {} (counted from 0)", c));
    if (low[c] == high[c] || variance[c] == 0) constant.push_back(c);
    variance[c] = low[c] == high[c] || variance[c] == 0 ? 1.0 : std::sqrt(variance[c]);
  }
  return Transform::standardizing(mean, variance);
}

std::shared_ptr<const Transform> fit_whitening(const Dataset& data, double epsilon) {
  const Index cols = data.cols();
  if (data.has_missing())
    throw ConfigError(
        fmt::format("[data] {}: whitening mixes the columns of a row, and entries are missing. Set "
                    "data.standardize in its place.",
                    data.name()));
  const std::vector<double> mean = data.column_means(), share = shares(data);
  check_means(data, mean);
  Matrix<double> covariance = zeros<double>(cols, cols);
  visit_pieces(data, mean, [&](Index first, MatrixView<double> rows) {
    for (Index r = 0; r < rows.rows; ++r) in_place(rows[r]) *= std::sqrt(share[first + r]);
    gemm(Transpose::yes, Transpose::no, 1.0, rows, rows, 1.0, as_matrix(covariance));
  });
  const double added = epsilon * sum_in_order(xt::diagonal(covariance) / static_cast<double>(cols));
  if (!xt::all(xt::isfinite(covariance))) fail_range(data, "the covariance of its columns");
  if (!std::isfinite(added))
    throw ConfigError(
        fmt::format("[data] {}: data.whiten_epsilon = {:g} times the columns' mean variance leaves the range "
                    "of numbers. Lower it.",
                    data.name(), epsilon));
  const Spectrum spectrum(as_matrix(std::as_const(covariance)));
  const double rounding = 1e-14 * static_cast<double>(cols) * spectrum.values()(cols - 1);
  if (!(spectrum.values()(0) + added > rounding)) {
    throw ConfigError(
        fmt::format("[data] {}: its covariance has no inverse (some columns are constant, or follow from others), so "
                    "that it is not whitened. Set data.whiten_epsilon to more than 0.",
                    data.name()));
  }
  return Transform::whitening(mean,
                              spectrum.matrix_of([&](double v) { return 1 / std::sqrt(std::max(v, 0.0) + added); }));
}

}  // namespace

std::shared_ptr<const Transform> Transform::fit(Kind kind, const Dataset& rows, double epsilon) {
  if (kind == Kind::zca) return fit_whitening(rows, epsilon);
  std::vector<Index> constant;
  auto made = std::make_shared<Transform>(*fit_standardizing(rows, constant));
  made->constant_columns_ = std::move(constant);
  return made;
}

}  // namespace v1
}  // namespace harmonium
