// SPDX-License-Identifier: Apache-2.0
#include "memory/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>

namespace orthodict::memory {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::size_t of_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return kUnlimited;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_size);
}

std::size_t of_addresses() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return static_cast<std::size_t>(limit.rlim_cur);
}

// The number in a file; unlimited if the file doesn't exist or has no number ("max").
std::size_t number_in(const std::filesystem::path& file) {
  std::string text;
  std::ifstream(file) >> text;
  std::size_t value = kUnlimited;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A group's limit also applies to its descendants: returns the lowest limit from `group` up to the root.
std::size_t of_groups(const std::filesystem::path& root, std::filesystem::path group, const char* file) {
  std::size_t least = number_in(root / file);
  for (; group.has_relative_path(); group = group.parent_path()) {
    least = std::min(least, number_in(root / group.relative_path() / file));
  }
  return least;
}

std::atomic<std::size_t> counted_bytes = 0;

}  // namespace

// Lines of /proc/self/cgroup are "0::GROUP" in version 2, and "N:memory:GROUP" for the memory controller of version 1.
std::size_t limit_of_control_groups(const std::filesystem::path& root) {
  std::size_t least = kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t last = line.rfind(':');
    if (last == std::string::npos) continue;
    const std::string group = line.substr(last + 1);
    if (line.starts_with("0::")) least = std::min(least, of_groups(root / "sys/fs/cgroup", group, "memory.max"));
    if (line.substr(0, last).ends_with(":memory")) {
      least = std::min(least, of_groups(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::size_t memory_limit() {
  static const std::size_t kLimit = std::min({of_machine(), of_addresses(), limit_of_control_groups()});
  return kLimit;
}

std::size_t memory_left() {
  constexpr std::size_t kMostToSpare = std::size_t{256} << 20;
  std::size_t taken = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const bool counts = line.starts_with("RssAnon:") || line.starts_with("RssShmem:") || line.starts_with("VmSwap:");
    if (counts) taken += 1024 * std::stoull(line.substr(line.find(':') + 1));
  }
  taken += std::min(memory_limit() / 8, kMostToSpare);
  return memory_limit() - std::min(memory_limit(), taken);
}

std::size_t room_for_data() {
  constexpr std::size_t kWork = std::size_t{256} << 20;
  return (memory_limit() - std::min(memory_limit(), kWork)) / 2;
}

CountedBytes::CountedBytes(std::size_t bytes) : bytes_(bytes) { counted_bytes += bytes_; }

CountedBytes::~CountedBytes() { counted_bytes -= bytes_; }

bool is_large(std::size_t bytes) {
  const std::size_t room = room_for_data();
  return bytes > 0 && (bytes > room || counted_bytes > room - bytes);
}

}  // namespace orthodict::memory
