#pragma once

#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// The normal law p(x) ∝ exp(fᵀx − ½ xᵀPx) of several coupled variables: covariance P⁻¹, mean P⁻¹f. Everything in double,
/// from the inverse of the Cholesky factor P = LLᵀ.
class JointGaussian {
 public:
  /// `precision`: P, n × n, symmetric. Nothing where it is not positive definite (or not finite): then there is no law.
  static std::optional<JointGaussian> of(MatrixView<const double> precision);

  Index size() const { return size_; }
  /// log det P.
  double log_determinant() const { return log_determinant_; }
  /// out[r] = fᵀP⁻¹f, f the row r of `fields`.
  void quadratic_forms(MatrixView<const double> fields, std::span<double> out) const;
  /// Each row f becomes the mean P⁻¹f.
  void means(MatrixView<double> fields) const;
  /// Each row of independent standard normals becomes a draw of covariance P⁻¹ and mean 0: L⁻ᵀz.
  void correlate(MatrixView<double> normals) const;
  /// P⁻¹, n × n, row-major.
  std::vector<double> covariance() const;

 private:
  MatrixView<const double> inverse_factor() const { return {inverse_factor_.data(), size_, size_, size_}; }

  Index size_ = 0;
  double log_determinant_ = 0.0;
  std::vector<double> inverse_factor_;  ///< L⁻¹
};

}  // namespace v1
}  // namespace harmonium
