// Preloaded into a program (LD_PRELOAD), counts the multiplications and additions of its matrix products, and says so at
// its end on the file descriptor that COUNT_PRODUCTS_FD names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long operations;

static void add(int m, int n, int k) {
  __atomic_fetch_add(&operations, 2ull * (unsigned)m * (unsigned)n * (unsigned)k, __ATOMIC_RELAXED);
}

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                 int ldb, float beta, float* c, int ldc) {
  typedef void (*gemm)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  static gemm next;
  if (!next) next = (gemm)dlsym(RTLD_NEXT, "cblas_sgemm");
  add(m, n, k);
  next(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double* a, int lda,
                 const double* b, int ldb, double beta, double* c, int ldc) {
  typedef void (*gemm)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                       int);
  static gemm next;
  if (!next) next = (gemm)dlsym(RTLD_NEXT, "cblas_dgemm");
  add(m, n, k);
  next(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc) {
  typedef void (*gemm)(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                       const int*, const float*, const int*, const float*, float*, const int*);
  static gemm next;
  if (!next) next = (gemm)dlsym(RTLD_NEXT, "sgemm_");
  add(*m, *n, *k);
  next(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

__attribute__((destructor)) static void tell(void) {
  const char* fd = getenv("COUNT_PRODUCTS_FD");
  if (fd) dprintf(atoi(fd), "%llu\n", operations);
}
