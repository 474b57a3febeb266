// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace orthodict::soak {

// The resources of the process, after free memory was returned to the system.
struct Resources {
  std::size_t fits = 0;      // fits completed before the measurement
  std::size_t resident = 0;  // bytes
  std::size_t heap = 0;      // allocated bytes, by malloc's count
  int files = 0;
  int threads = 0;
  bool children = false;  // whether there are child processes that weren't waited for
};
// Must be called first. Makes the allocator return free memory at the end of each arena, which malloc_trim() doesn't
// touch, instead of keeping each arena at its maximal size.
void keep_no_free_memory();
// Waits up to a second for ended threads to disappear: the system still counts them for a moment after they were
// joined.
[[nodiscard]] Resources measure_resources(std::size_t fits, int threads_expected);
[[nodiscard]] int count_threads();

// The least-squares slope of a field over the number of fits, in bytes per fit.
[[nodiscard]] double slope(const std::vector<Resources>& stages, std::size_t Resources::*field);

}  // namespace orthodict::soak
