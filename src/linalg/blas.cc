// SPDX-License-Identifier: Apache-2.0
#include "linalg/blas.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "linalg/fortran.h"

#ifdef ORTHODICT_PRIVATE_OPENBLAS
extern "C" {
void* blas_memory_alloc(int position);
void blas_memory_free(void* buffer);
}
#endif

namespace orthodict::linalg {
namespace {

constexpr std::size_t kBuffer = std::size_t{128} << 20;  // OpenBLAS on x86-64

#ifndef ORTHODICT_PRIVATE_OPENBLAS
// What another BLAS takes can't be taken for it; that much memory stands for it.
void* blas_memory_alloc(int /*position*/) { return std::malloc(kBuffer); }
void blas_memory_free(void* buffer) { std::free(buffer); }
#endif

template <typename Scalar, typename Routine>
void call_gemm(Routine routine, Op op_a, Op op_b, Index m, Index n, Index k, Scalar alpha, const Scalar* a, Index lda,
               const Scalar* b, Index ldb, Scalar beta, Scalar* c, Index ldc) {
  const char ta = static_cast<char>(op_a);
  const char tb = static_cast<char>(op_b);
  const int im = to_int(m), in = to_int(n), ik = to_int(k), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  routine(&ta, &tb, &im, &in, &ik, &alpha, a, &ia, b, &ib, &beta, c, &ic);
}

template <typename Scalar, typename Routine>
void call_symv(Routine routine, const Matrix<Scalar>& s, const Vector<Scalar>& x, Vector<Scalar>* y) {
  const int n = to_int(s.rows()), ld = leading(s.rows()), one = 1;
  const Scalar alpha = 1, beta = 0;
  routine("L", &n, &alpha, s.data(), &ld, x.data(), &one, &beta, y->data(), &one);
}

bool has_room_for_a_buffer() {
  constexpr std::size_t kOthers = std::size_t{16} << 20;  // what other threads may take meanwhile
  return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[kBuffer + kOthers]) != nullptr;
}

// As many buffers as there is room for, at most `wanted`, so that OpenBLAS has them and never has to ask for one: it
// doesn't bear a refusal.
int take_buffers(int wanted) {
  std::vector<void*> taken;
  while (static_cast<int>(taken.size()) < wanted && has_room_for_a_buffer()) taken.push_back(blas_memory_alloc(0));
  for (void* const buffer : taken) blas_memory_free(buffer);
  return static_cast<int>(taken.size());
}

// Of the process: OpenBLAS keeps what it took.
struct Buffers {
  std::mutex mutex;
  int granted = 0;
  int used = 0;
};

Buffers& buffers() {
  static Buffers all;
  return all;
}

}  // namespace

ThreadBuffers::ThreadBuffers(int threads) {
  constexpr int kMost = 128;  // that Debian's OpenBLAS has room for in its table; beyond it complains on standard error
  const std::lock_guard lock(buffers().mutex);
  const int wanted = std::min(buffers().used + threads, kMost);
  if (buffers().granted < wanted) buffers().granted = std::max(buffers().granted, take_buffers(wanted));
  count_ = std::min(buffers().granted - buffers().used, threads);
  if (count_ < 1) throw std::bad_alloc();
  buffers().used += count_;
}

ThreadBuffers::~ThreadBuffers() {
  const std::lock_guard lock(buffers().mutex);
  buffers().used -= count_;
}

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

void multiply_symmetric(const Matrix<float>& s, const Vector<float>& x, Vector<float>* y) {
  call_symv(ssymv_, s, x, y);
}
void multiply_symmetric(const Matrix<double>& s, const Vector<double>& x, Vector<double>* y) {
  call_symv(dsymv_, s, x, y);
}

}  // namespace orthodict::linalg
