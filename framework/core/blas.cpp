#include <harmonium/framework/core/blas.hpp>

#include <xtensor-blas/xblas.hpp>

extern "C" {
void openblas_set_num_threads(int) __attribute__((weak));
char* openblas_get_config() __attribute__((weak));
}

namespace harmonium {
inline namespace v1 {
namespace {

/// One thread a call. Any BLAS links; only OpenBLAS needs telling.
[[maybe_unused]] const bool single_threaded = [] {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  return true;
}();

constexpr auto transpose(Transpose t) { return t == Transpose::yes ? CblasTrans : CblasNoTrans; }

template <class T, class Call>
void gemm_of(Transpose a_op, Transpose b_op, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c,
             Call call) {
  if (c.empty()) return;
  const Index inner = a_op == Transpose::yes ? a.rows : a.cols;
  if (inner == 0) {
    for (Index r = 0; r < c.rows; ++r)
      for (Index j = 0; j < c.cols; ++j) c(r, j) = beta == T{0} ? T{0} : beta * c(r, j);
    return;
  }
  const auto i = [](Index n) { return static_cast<int>(n); };
  call(CblasRowMajor, transpose(a_op), transpose(b_op), i(c.rows), i(c.cols), i(inner), i(a.stride), i(b.stride),
       i(c.stride));
}

}  // namespace

void gemm(Transpose a_op, Transpose b_op, float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  gemm_of(a_op, b_op, a, b, beta, c, [&](auto order, auto ta, auto tb, int m, int n, int k, int lda, int ldb, int ldc) {
    cblas_sgemm(order, ta, tb, m, n, k, alpha, a.data, lda, b.data, ldb, beta, c.data, ldc);
  });
}

void gemm(Transpose a_op, Transpose b_op, double alpha, MatrixView<const double> a, MatrixView<const double> b,
          double beta, MatrixView<double> c) {
  gemm_of(a_op, b_op, a, b, beta, c, [&](auto order, auto ta, auto tb, int m, int n, int k, int lda, int ldb, int ldc) {
    cblas_dgemm(order, ta, tb, m, n, k, alpha, a.data, lda, b.data, ldb, beta, c.data, ldc);
  });
}

const char* blas_name() { return openblas_get_config ? openblas_get_config() : "unknown BLAS"; }

}  // namespace v1
}  // namespace harmonium
