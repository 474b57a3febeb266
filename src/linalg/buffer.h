// SPDX-License-Identifier: Apache-2.0
// OpenBLAS works in a buffer of 128 MiB for each call that is under way, and waits forever where it can't get one. So
// buffers are taken while there is room, with some to spare, and a thread has one before it calls.
#pragma once

namespace orthodict::linalg {

// A buffer that is this thread's while the object lives: BLAS and LAPACK are called with one in place. Where there is
// no room for another one it waits for one that other threads have. One within another is the same.
class Buffer {
 public:
  // Throws std::bad_alloc where there is none at all, and no room.
  Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();
};

// Has buffers ready for so many threads that call at once, or for as many as there is room; tells for how many, at
// least one. They stay, for all that come. Throws std::bad_alloc where there is room for none.
int prepare_buffers(int threads);

}  // namespace orthodict::linalg
