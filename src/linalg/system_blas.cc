// SPDX-License-Identifier: Apache-2.0
// Keeps the BLAS of the system to one thread per call. Several threads call it at once; if each call started more,
// these would wait for one another, spinning. OpenBLAS and BLIS have one setting for the whole process, so it is
// changed while any thread of ours is within BLAS, and put back after; MKL, and OpenBLAS with OpenMP, have one per
// thread.

#include <pthread.h>

#include <cstdint>
#include <mutex>

#include "linalg/buffer.h"

// Of the library that is linked or loaded; null where it is another. BLIS counts in its dim_t.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int threads);
[[gnu::weak]] std::int64_t bli_thread_get_num_threads();
[[gnu::weak]] void bli_thread_set_num_threads(std::int64_t threads);
[[gnu::weak]] int MKL_Set_Num_Threads_Local(int threads);
[[gnu::weak]] int openblas_get_parallel();
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] void omp_set_num_threads(int threads);
}
// NOLINTEND(readability-identifier-naming)

namespace orthodict::linalg {
namespace {

// Where BLAS has no such setting there is nothing to change.
std::int64_t threads_of_blas() {
  if (openblas_get_num_threads != nullptr) return openblas_get_num_threads();
  return bli_thread_get_num_threads != nullptr ? bli_thread_get_num_threads() : 1;
}

void set_threads_of_blas(std::int64_t threads) {
  if (openblas_set_num_threads != nullptr) return openblas_set_num_threads(static_cast<int>(threads));
  if (bli_thread_set_num_threads != nullptr) bli_thread_set_num_threads(threads);
}

struct Calls {
  std::mutex mutex;
  int count = 0;
  std::int64_t usual_threads = 1;

  Calls() { pthread_atfork(lock, unlock, forget_other_threads); }
  static void lock();
  static void unlock();
  static void forget_other_threads();
};

Calls& calls() {
  static auto* const kCalls = new Calls;  // never destroyed: threads may outlive static objects
  return *kCalls;
}

void begin() {
  const std::lock_guard lock(calls().mutex);
  if (calls().count++ > 0) return;
  calls().usual_threads = threads_of_blas();
  if (calls().usual_threads != 1) set_threads_of_blas(1);
}

void end() {
  const std::lock_guard lock(calls().mutex);
  if (--calls().count == 0 && calls().usual_threads != 1) set_threads_of_blas(calls().usual_threads);
}

struct Own {
  int uses = 0;
  int usual_threads = 0;  // where BLAS has a setting per thread
};
thread_local Own own;

void Calls::lock() { calls().mutex.lock(); }
void Calls::unlock() { calls().mutex.unlock(); }

// After fork() the child has one thread. BLAS isn't called here, since it may not have mended its own threads yet: if
// other threads were within BLAS, it keeps one thread in the child.
void Calls::forget_other_threads() {
  calls().count = own.uses > 0 ? 1 : 0;
  calls().mutex.unlock();
}

bool uses_openmp() {
  constexpr int kOpenMp = 2;  // of OpenBLAS
  return openblas_get_parallel != nullptr && openblas_get_parallel() == kOpenMp && omp_set_num_threads != nullptr &&
         omp_get_max_threads != nullptr;
}

}  // namespace

Buffer::Buffer() {
  if (own.uses++ > 0) return;
  if (MKL_Set_Num_Threads_Local != nullptr) {
    own.usual_threads = MKL_Set_Num_Threads_Local(1);
  } else if (uses_openmp()) {
    own.usual_threads = omp_get_max_threads();
    omp_set_num_threads(1);
  } else {
    begin();
  }
}

Buffer::~Buffer() {
  if (--own.uses > 0) return;
  if (MKL_Set_Num_Threads_Local != nullptr) {
    MKL_Set_Num_Threads_Local(own.usual_threads);
  } else if (uses_openmp()) {
    omp_set_num_threads(own.usual_threads);
  } else {
    end();
  }
}

int prepare_buffers(int threads) { return threads; }

}  // namespace orthodict::linalg
