// SPDX-License-Identifier: Apache-2.0
// Buffers for the private OpenBLAS. Each call uses a work buffer of 128 MiB, and OpenBLAS waits forever if it can't
// allocate one. So buffers are allocated in advance, while memory remains, and a thread holds a buffer before it calls
// BLAS. The BLAS of the system has buffers of its own; while a thread holds one of ours that BLAS is kept to one thread
// per call (system_blas.cc).
#pragma once

namespace orthodict::linalg {

// Holds a buffer for this thread for the lifetime of the object. Every call of BLAS or LAPACK needs one. If no buffer
// can be allocated, the constructor waits for another thread to release one. Nested objects in one thread share a
// buffer.
class Buffer {
 public:
  // Throws std::bad_alloc if there is no buffer at all and none can be allocated.
  Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();
};

// Allocates buffers for this many concurrent calls, or as many as memory allows, and returns the number, at least one.
// The buffers are kept for later calls. Throws std::bad_alloc if not even one can be allocated.
int prepare_buffers(int threads);

}  // namespace orthodict::linalg
