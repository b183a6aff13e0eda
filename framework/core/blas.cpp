#include <harmonium/framework/core/blas.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

#include <sys/mman.h>

#include <xtensor-blas/xblas.hpp>

#include <harmonium/framework/core/error.hpp>

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

// What OpenBLAS takes for each thread that calls it, whatever the size of the matrices; with what aligns it.
constexpr std::size_t buffer_bytes = (std::size_t{32} << 22) + (std::size_t{1} << 16);

std::atomic<int> calling{0};   // threads in a call now
std::atomic<int> provided{0};  // the most that may be: OpenBLAS has a buffer for each, or room for it

bool room_for(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

bool try_to_begin() {
  if (!openblas_set_num_threads) return ++calling > 0;
  int now = calling.load();
  while (now < provided.load())
    if (calling.compare_exchange_weak(now, now + 1)) return true;
  return false;
}

/// Provides one buffer more, or where there is no room for it waits for a call to end.
void make_room() {
  static std::mutex mutex;
  {
    const std::lock_guard lock(mutex);
    if (calling.load() < provided.load()) return;
    // Those that call now may not have taken theirs yet.
    if (room_for((static_cast<std::size_t>(calling.load()) + 1) * buffer_bytes)) {
      ++provided;
      return;
    }
    constexpr int at_run_time = 1;
    if (provided.load() == 0)
      throw Error(
          "out of memory: products of matrices need a buffer of 128 MiB for each thread (OpenBLAS's own, whatever the "
          "size of the model), and there is no room for it. Raise the limit on memory (ulimit -v).",
          at_run_time);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}

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
  const BlasCall room;
  const auto i = [](Index n) { return static_cast<int>(n); };
  call(CblasRowMajor, transpose(a_op), transpose(b_op), i(c.rows), i(c.cols), i(inner), i(a.stride), i(b.stride),
       i(c.stride));
}

}  // namespace

BlasCall::BlasCall() {
  while (!try_to_begin()) make_room();
}

BlasCall::~BlasCall() { --calling; }

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
