#pragma once

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace v1 {

/// a · b, on one thread.
inline Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  HARMONIUM_ASSERT(a.shape(1) == b.shape(0));
  Matrix<double> c = zeros<double>(a.shape(0), b.shape(1));
  gemm(Transpose::no, Transpose::no, 1.0, as_matrix(a), as_matrix(b), 0.0, as_matrix(c));
  return c;
}

}  // namespace v1
}  // namespace harmonium
