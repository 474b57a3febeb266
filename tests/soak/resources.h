// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace orthodict::soak {

// What the process holds, after memory that is free was given back to the system.
struct Resources {
  std::size_t fits = 0;      // done when this was measured
  std::size_t resident = 0;  // bytes
  std::size_t heap = 0;      // bytes that malloc has given out
  int files = 0;
  int threads = 0;
  bool children = false;  // processes that nobody waited for
};
// To be called first: the allocator gives back what is free, instead of keeping the most that each of its arenas ever
// held, which malloc_trim() doesn't touch at the arenas' ends.
void keep_no_free_memory();
// Threads that ended are waited for, a second at most: they are joined a moment before the system counts them out.
[[nodiscard]] Resources measure_resources(std::size_t fits, int threads_expected);
[[nodiscard]] int count_threads();

// Least squares, of a field over fits, in bytes per fit.
[[nodiscard]] double slope(const std::vector<Resources>& stages, std::size_t Resources::*field);

}  // namespace orthodict::soak
