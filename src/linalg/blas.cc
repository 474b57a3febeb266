// SPDX-License-Identifier: Apache-2.0
#include "linalg/blas.h"

#include "linalg/buffer.h"
#include "linalg/fortran.h"

namespace orthodict::linalg {
namespace {

template <typename Scalar, typename Routine>
void call_gemm(Routine routine, Op op_a, Op op_b, Index m, Index n, Index k, Scalar alpha, const Scalar* a, Index lda,
               const Scalar* b, Index ldb, Scalar beta, Scalar* c, Index ldc) {
  const char ta = static_cast<char>(op_a);
  const char tb = static_cast<char>(op_b);
  const int im = to_int(m), in = to_int(n), ik = to_int(k), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  const Buffer buffer;
  routine(&ta, &tb, &im, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic);
}

template <typename Scalar, typename Routine>
void call_symv(Routine routine, const Matrix<Scalar>& s, const Vector<Scalar>& x, Vector<Scalar>* y) {
  const int n = to_int(s.rows()), ld = leading(s.rows()), one = 1;
  const Scalar alpha = 1, beta = 0;
  const Buffer buffer;
  routine("L", &n, &alpha, s.data(), &ld, x.data(), &one, &beta, y->data(), &one);
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
  const Buffer buffer;
  dsyrk_("L", "N", &in, &ik, &one, a, &ia, &one, c, &ic);
}

void multiply_symmetric(const Matrix<float>& s, const Vector<float>& x, Vector<float>* y) {
  call_symv(ssymv_, s, x, y);
}
void multiply_symmetric(const Matrix<double>& s, const Vector<double>& x, Vector<double>* y) {
  call_symv(dsymv_, s, x, y);
}

}  // namespace orthodict::linalg
