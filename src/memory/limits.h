// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace orthodict::memory {

// Bytes that this process may use: what the machine has, less if a control group or `ulimit -v` says so. Asked once.
[[nodiscard]] std::size_t memory_limit();

// What the limit leaves beside the memory that this process has taken already, and some for what isn't foreseen. Pages
// of files aren't counted, which the system can take back.
[[nodiscard]] std::size_t memory_left();

// What control groups, of version 1 or 2, leave to this process. `root` is where proc and sys are.
[[nodiscard]] std::size_t limit_of_control_groups(const std::filesystem::path& root = "/");

// Bytes of data that may lie in memory: half of what the limit leaves beside libraries, threads and BLAS.
[[nodiscard]] std::size_t room_for_data();

// Counts bytes that data take of memory, in files that are mapped or unpacked, as long as it lives.
class CountedBytes {
 public:
  explicit CountedBytes(std::size_t bytes);
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;
  ~CountedBytes();

 private:
  std::size_t bytes_;
};

// Together with all that is counted this is more than there is room for: an array of that size stays in a file, if it
// can, and is read as it is used. Nothing, 0 bytes, is never large.
[[nodiscard]] bool is_large(std::size_t bytes);

}  // namespace orthodict::memory
