#include <harmonium/framework/data/transform.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/copies.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/data/spectrum.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

MatrixView<const double> square(const std::vector<double>& values, Index n) { return {values.data(), n, n, n}; }

}  // namespace

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
