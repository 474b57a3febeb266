// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#include "linalg/buffer.h"

// The linker redirects every buffer request of OpenBLAS to the __wrap functions below (cmake/Blas.cmake).
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __real_blas_memory_alloc(int position);
void __real_blas_memory_free(void* buffer);
}

namespace orthodict::linalg {
namespace {

constexpr int kMost =
    120;  // Debian's OpenBLAS has a table of 128 buffers and prints warnings to standard error beyond that

// The buffers of the process. They are never returned to the system.
struct Pool {
  std::mutex mutex;
  std::condition_variable returned;
  std::vector<void*> free;
  int count = 0;  // free buffers and buffers that threads hold
  Pool() {
    free.reserve(kMost);
    pthread_atfork(lock, unlock, forget_other_threads);
  }

  static void lock();
  static void unlock();
  static void forget_other_threads();
};

Pool& pool() {
  static Pool* const all = new Pool;  // never destroyed: threads may outlive static objects
  return *all;
}

struct Held {
  void* buffer = nullptr;
  int uses = 0;
  bool is_lent = false;  // to OpenBLAS
};
thread_local Held held;

void Pool::lock() { pool().mutex.lock(); }
void Pool::unlock() { pool().mutex.unlock(); }

// After fork() the child has one thread; buffers that other threads held are lost.
void Pool::forget_other_threads() {
  pool().count = static_cast<int>(pool().free.size()) + (held.buffer != nullptr ? 1 : 0);
  pool().mutex.unlock();
}

bool has_room() {
  constexpr std::size_t kBuffer = std::size_t{128} << 20;  // OpenBLAS on x86-64
  constexpr std::size_t kOthers = std::size_t{48} << 20;   // what other threads may allocate meanwhile
  // Calls the function because the compiler may remove a new-expression whose memory isn't used.
  void* const probe = ::operator new(kBuffer + kOthers, std::nothrow);
  const bool has_room = probe != nullptr;
  ::operator delete(probe);
  return has_room;
}

// The mutex must be locked.
bool grow(Pool* pool) {
  if (pool->count == kMost || !has_room()) return false;
  pool->free.push_back(__real_blas_memory_alloc(0));
  ++pool->count;
  return true;
}

}  // namespace

Buffer::Buffer() {
  if (held.uses == 0) {
    std::unique_lock lock(pool().mutex);
    while (pool().free.empty() && !grow(&pool())) {
      if (pool().count == 0) throw std::bad_alloc();
      pool().returned.wait(lock);
    }
    held.buffer = pool().free.back();
    pool().free.pop_back();
  }
  ++held.uses;
}

Buffer::~Buffer() {
  if (--held.uses > 0) return;
  {
    const std::lock_guard lock(pool().mutex);
    pool().free.push_back(held.buffer);
  }
  held.buffer = nullptr;
  pool().returned.notify_one();
}

int prepare_buffers(int threads) {
  const std::lock_guard lock(pool().mutex);
  while (pool().count < threads && grow(&pool())) {
  }
  if (pool().count == 0) throw std::bad_alloc();
  pool().returned.notify_all();
  return std::min(pool().count, threads);
}

}  // namespace orthodict::linalg

extern "C" {
void* __wrap_blas_memory_alloc(int position) {
  auto& held = orthodict::linalg::held;
  if (held.buffer == nullptr || held.is_lent) return __real_blas_memory_alloc(position);
  held.is_lent = true;
  return held.buffer;
}

void __wrap_blas_memory_free(void* buffer) {
  auto& held = orthodict::linalg::held;
  if (buffer != held.buffer) return __real_blas_memory_free(buffer);
  held.is_lent = false;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
