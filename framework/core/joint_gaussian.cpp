#include <harmonium/framework/core/joint_gaussian.hpp>

#include <cmath>
#include <stdexcept>

#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xarray.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace v1 {

std::optional<JointGaussian> JointGaussian::of(MatrixView<const double> precision) {
  JointGaussian law;
  law.size_ = precision.rows;
  xt::xarray<double, xt::layout_type::column_major> factor;
  const BlasCall room;
  try {
    factor = xt::linalg::cholesky(xt::xarray<double>(as_xtensor(precision)));
  } catch (const std::runtime_error&) {
    return {};
  }
  for (Index i = 0; i < law.size_; ++i) {
    if (!(factor(i, i) > 0.0) || !std::isfinite(factor(i, i))) return {};
    law.log_determinant_ += 2.0 * std::log(factor(i, i));
  }
  // Row i of L⁻¹ is (eᵢ − Σ_{k<i} L(i, k) row k) / L(i, i). xtensor-blas solves for one vector at a time only.
  law.inverse_factor_.assign(law.size_ * law.size_, 0.0);
  for (Index i = 0; i < law.size_; ++i) {
    double* const row = &law.inverse_factor_[i * law.size_];
    row[i] = 1.0;
    for (Index k = 0; k < i; ++k) {
      const double l = factor(i, k);
      const double* const above = &law.inverse_factor_[k * law.size_];
      for (Index j = 0; j <= k; ++j) row[j] -= l * above[j];
    }
    for (Index j = 0; j <= i; ++j) row[j] /= factor(i, i);
  }
  return law;
}

void JointGaussian::quadratic_forms(MatrixView<const double> fields, std::span<double> out) const {
  std::vector<double> white(fields.rows * size_);
  const MatrixView<double> y{white.data(), fields.rows, size_, size_};
  gemm(Transpose::no, Transpose::yes, 1.0, fields, inverse_factor(), 0.0, y);
  for (Index r = 0; r < y.rows; ++r) {
    double sum = 0.0;
    for (Index c = 0; c < size_; ++c) sum += y(r, c) * y(r, c);
    out[r] = sum;
  }
}

void JointGaussian::means(MatrixView<double> fields) const {
  std::vector<double> white(fields.rows * size_);
  const MatrixView<double> y{white.data(), fields.rows, size_, size_};
  gemm(Transpose::no, Transpose::yes, 1.0, fields, inverse_factor(), 0.0, y);
  gemm(Transpose::no, Transpose::no, 1.0, y, inverse_factor(), 0.0, fields);
}

void JointGaussian::correlate(MatrixView<double> normals) const {
  std::vector<double> white(normals.rows * size_);
  for (Index r = 0; r < normals.rows; ++r) std::copy(normals.row(r), normals.row(r) + size_, &white[r * size_]);
  gemm(Transpose::no, Transpose::no, 1.0, {white.data(), normals.rows, size_, size_}, inverse_factor(), 0.0, normals);
}

std::vector<double> JointGaussian::covariance() const {
  std::vector<double> result(size_ * size_);
  gemm(Transpose::yes, Transpose::no, 1.0, inverse_factor(), inverse_factor(), 0.0,
       {result.data(), size_, size_, size_});
  return result;
}

}  // namespace v1
}  // namespace harmonium
