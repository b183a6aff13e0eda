#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace v1 {

/// E f(Λ) Eᵀ of a symmetric matrix, for several f.
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

}  // namespace v1
}  // namespace harmonium
