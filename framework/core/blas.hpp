#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

enum class Transpose : std::uint8_t { no, yes };

/// C = alpha · op(A) op(B) + beta · C on one thread: parallelism is over pieces of the work, above this call
/// (threads inside BLAS under threads of our own halve the speed). C may be strided; beta = 0 overwrites, NaN included.
void gemm(Transpose a_op, Transpose b_op, float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c);
void gemm(Transpose a_op, Transpose b_op, double alpha, MatrixView<const double> a, MatrixView<const double> b,
          double beta, MatrixView<double> c);

/// What holds for a call of the BLAS or LAPACK library; `gemm` makes one itself, whoever calls the library otherwise makes
/// one around the call, never inside another. Waits for other threads' calls where memory has no room for one more buffer
/// of the library's, and throws Error where it has none for the first: OpenBLAS would ask for it again and again, for ever.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;
};

/// "OpenBLAS 0.3.21 SkylakeX", for provenance; "unknown BLAS" where the library does not tell.
const char* blas_name();

}  // namespace v1
}  // namespace harmonium
