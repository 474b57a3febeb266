// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace orthodict::memory {

// The number of bytes that this process may use: physical memory, or less if a control group or `ulimit -v` limits it.
// Determined once.
[[nodiscard]] std::size_t memory_limit();

// The limit less the memory that this process already uses and a reserve. The page cache isn't counted, since the
// system can reclaim it.
[[nodiscard]] std::size_t memory_left();

// The memory limit that control groups (version 1 or 2) set for this process. `root` is the folder of proc and sys.
[[nodiscard]] std::size_t limit_of_control_groups(const std::filesystem::path& root = "/");

// The number of bytes of data that may be kept in memory: half of the limit, after a reserve for libraries, threads and
// BLAS.
[[nodiscard]] std::size_t room_for_data();

// Counts bytes of mapped or unpacked data as being in memory, for the lifetime of the object.
class CountedBytes {
 public:
  explicit CountedBytes(std::size_t bytes);
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;
  ~CountedBytes();

 private:
  std::size_t bytes_;
};

// Whether data of this size, added to all counted bytes, exceed room_for_data(). Such an array stays in its file, if
// possible, and is read as it is used. 0 bytes are never large.
[[nodiscard]] bool is_large(std::size_t bytes);

}  // namespace orthodict::memory
