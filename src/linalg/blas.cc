// SPDX-License-Identifier: Apache-2.0
#include "linalg/blas.h"

#include "linalg/fortran.h"

namespace orthodict::linalg {
namespace {

template <typename Scalar, typename Routine>
void call_gemm(Routine routine, Op op_a, Op op_b, Index m, Index n, Index k, Scalar alpha, const Scalar* a, Index lda,
               const Scalar* b, Index ldb, Scalar beta, Scalar* c, Index ldc) {
  const char ta = static_cast<char>(op_a);
  const char tb = static_cast<char>(op_b);
  const int im = to_int(m), in = to_int(n), ik = to_int(k), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  routine(&ta, &tb, &im, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic);
}

}  // namespace

void gemm(Op op_a, Op op_b, Index m, Index n, Index k, float alpha, const float* a, Index lda, const float* b,
          Index ldb, float beta, float* c, Index ldc) {
  call_gemm(sgemm_, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm(Op op_a, Op op_b, Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
          Index ldb, double beta, double* c, Index ldc) {
  call_gemm(dgemm_, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void add_gram(Index n, Index k, const double* a, Index lda, double* c, Index ldc) {
  const int in = to_int(n), ik = to_int(k), ia = leading(lda), ic = leading(ldc);
  const double one = 1;
  dsyrk_("L", "N", &in, &ik, &one, a, &ia, &one, c, &ic);
}

}  // namespace orthodict::linalg
