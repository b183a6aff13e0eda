#include <harmonium/framework/data/transform.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index fitted_at_a_time = 512;  // rows at a time, so that memory does not grow with them

MatrixView<const double> square(const std::vector<double>& values, Index n) { return {values.data(), n, n, n}; }

// E f(Λ) Eᵀ of a symmetric matrix, for several f.
class Spectrum {
 public:
  explicit Spectrum(MatrixView<const double> matrix) {
    const BlasCall room;
    std::tie(values_, vectors_) = xt::linalg::eigh(as_xtensor(matrix));
  }
  const Vector<double>& values() const { return values_; }  // ascending

  template <class F>
  std::vector<double> matrix_of(const F& f) const {
    Vector<double> factors = values_;
    std::ranges::transform(values_, factors.begin(), f);
    const Matrix<double> scaled = vectors_ * factors;
    const Index n = values_.size();
    std::vector<double> result(n * n);
    gemm(Transpose::no, Transpose::yes, 1.0, as_matrix(scaled), as_matrix(vectors_), 0.0,
         MatrixView<double>{result.data(), n, n, n});
    // Symmetric to the last bit, as it is meant.
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) result[j * n + i] = result[i * n + j];
    return result;
  }

 private:
  Vector<double> values_;
  Matrix<double> vectors_;
};

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

std::shared_ptr<const Transform> Transform::standardizing(std::vector<double> mean, std::vector<double> scale) {
  Transform made;
  made.mean_ = std::move(mean);
  made.scale_ = std::move(scale);
  if (made.scale_.size() != made.mean_.size()) throw std::logic_error("a transform of two sizes");
  for (const double s : made.scale_) {
    if (!(s > 0)) throw std::logic_error("a scale that is not above 0");
    made.log_jacobian_ -= std::log(s);
  }
  return std::make_shared<const Transform>(std::move(made));
}

std::shared_ptr<const Transform> Transform::whitening(std::vector<double> mean, std::vector<double> matrix) {
  Transform made;
  made.kind_ = Kind::zca;
  made.mean_ = std::move(mean);
  made.matrix_ = std::move(matrix);
  const Index n = made.mean_.size();
  if (made.matrix_.size() != n * n) throw std::logic_error("a transform of two sizes");
  const auto m = as_xtensor(square(made.matrix_, n));
  if (xt::any(xt::not_equal(m, xt::transpose(m)))) throw std::logic_error("a matrix that is not symmetric");
  const Spectrum spectrum(square(made.matrix_, n));
  for (const double v : spectrum.values()) {
    if (!(v > 0)) throw std::logic_error("a matrix that is not positive definite");
    made.log_jacobian_ += std::log(v);
  }
  made.inverse_ = spectrum.matrix_of([](double v) { return 1 / v; });
  return std::make_shared<const Transform>(std::move(made));
}

std::shared_ptr<const Transform> Transform::around(Index place, Index count) const {
  Transform wide;
  wide.kind_ = kind_;
  wide.log_jacobian_ = log_jacobian_;
  const auto at = [&](Index column) { return column < place ? column : column + count; };
  for (const Index c : constant_columns_) wide.constant_columns_.push_back(at(c));
  const auto inserted = [&](std::vector<double> values, double value) {
    if (!values.empty()) values.insert(values.begin() + static_cast<std::ptrdiff_t>(place), count, value);
    return values;
  };
  wide.mean_ = inserted(mean_, 0.0);
  wide.scale_ = inserted(scale_, 1.0);
  const Index n = cols(), more = n + count;
  std::vector<Index> places(n);
  std::iota(places.begin(), places.end(), Index{0});
  std::ranges::transform(places, places.begin(), at);
  const auto widened = [&](const std::vector<double>& matrix) -> std::vector<double> {
    if (matrix.empty()) return {};
    Matrix<double> result = xt::eye(more);
    xt::view(result, xt::keep(places), xt::keep(places)) = as_xtensor(square(matrix, n));
    return {result.begin(), result.end()};
  };
  wide.matrix_ = widened(matrix_);
  wide.inverse_ = widened(inverse_);
  return std::make_shared<const Transform>(std::move(wide));
}

std::shared_ptr<const Transform> Transform::of_columns(const std::vector<bool>& which) const {
  std::vector<double> mean = mean_, scale = scale_;
  for (Index c = 0; c < which.size(); ++c)
    if (!which[c]) mean[c] = 0, scale[c] = 1;
  auto made = std::make_shared<Transform>(*standardizing(std::move(mean), std::move(scale)));
  std::ranges::copy_if(constant_columns_, std::back_inserter(made->constant_columns_),
                       [&](Index c) { return which[c]; });
  return made;
}

std::string_view Transform::units() const { return kind_ == Kind::standardize ? "standardized data" : "whitened data"; }

void Transform::multiply(MatrixView<double> rows, const std::vector<double>& matrix) const {
  Matrix<double> product = zeros<double>(rows.rows, cols());
  gemm(Transpose::no, Transpose::no, 1.0, rows, square(matrix, cols()), 0.0, as_matrix(product));
  copy(as_matrix(product), rows);
}

void Transform::apply(MatrixView<double> rows) const {
  for (Index r = 0; r < rows.rows; ++r) {
    in_place(rows[r]) -= as_xtensor(std::span(mean_));
    if (kind_ == Kind::standardize) in_place(rows[r]) /= as_xtensor(std::span(scale_));
  }
  if (kind_ == Kind::zca) multiply(rows, matrix_);
}

void Transform::undo(MatrixView<double> rows) const {
  if (kind_ == Kind::zca) multiply(rows, inverse_);
  for (Index r = 0; r < rows.rows; ++r) {
    if (kind_ == Kind::standardize) in_place(rows[r]) *= as_xtensor(std::span(scale_));
    in_place(rows[r]) += as_xtensor(std::span(mean_));
  }
}

void TransformOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Whiten> choices[] = {{"none", Whiten::none}, {"zca", Whiten::zca}};
  o.option("standardize", standardize,
           "subtract each column's mean over the training rows and divide by its standard deviation");
  o.choice("whiten", whiten, choices,
           "zca: subtract the mean of the training rows and multiply by the inverse square root of their covariance");
  o.option("whiten_epsilon", whiten_epsilon,
           "added to the covariance's eigenvalues before whitening, in units of the columns' mean variance",
           at_least(0));
}

void TransformOptions::validate() const {
  if (whiten == Whiten::none && whiten_epsilon != TransformOptions().whiten_epsilon)
    throw ConfigError(
        "whiten_epsilon is given, and nothing is whitened. Set whiten = \"zca\", or leave whiten_epsilon out.");
  if (standardize && whiten != Whiten::none)
    throw ConfigError("standardize and whiten are both given (whitened columns have variance 1 already). Remove one.");
}

}  // namespace v1
}  // namespace harmonium
