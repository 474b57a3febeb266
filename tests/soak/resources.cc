// SPDX-License-Identifier: Apache-2.0
#include "resources.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace orthodict::soak {
namespace {

int count_entries(const char* folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

// The default, fixed: otherwise malloc raises it with the sizes requested.
void keep_no_free_memory() { mallopt(M_TRIM_THRESHOLD, 128 * 1024); }

int count_threads() { return count_entries("/proc/self/task"); }

Resources measure_resources(std::size_t fits, int threads_expected) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 1000 && count_threads() > threads_expected; ++i) std::this_thread::sleep_for(1ms);
  malloc_trim(0);
  const struct mallinfo2 heap = mallinfo2();
  return {.fits = fits,
          .resident = resident_bytes(),
          .heap = heap.uordblks + heap.hblkhd,
          .files = count_entries("/proc/self/fd") - 1,  // without the descriptor of the folder itself
          .threads = count_threads(),
          .children = waitpid(-1, nullptr, WNOHANG) >= 0};
}

double slope(const std::vector<Resources>& stages, std::size_t Resources::*field) {
  const auto count = static_cast<double>(stages.size());
  double x = 0;
  double y = 0;
  for (const Resources& stage : stages) {
    x += static_cast<double>(stage.fits) / count;
    y += static_cast<double>(stage.*field) / count;
  }
  double xx = 0;
  double xy = 0;
  for (const Resources& stage : stages) {
    const double from_mean = static_cast<double>(stage.fits) - x;
    xx += from_mean * from_mean;
    xy += from_mean * (static_cast<double>(stage.*field) - y);
  }
  return xx > 0 ? xy / xx : 0;
}

}  // namespace orthodict::soak
