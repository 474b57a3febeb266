// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>

#include "files/input_file.h"

namespace orthodict::files {

// A file that is larger than the page cache. Sequential reads through the cache would evict everything else and still
// miss in the next pass, and caching costs several times as much processor time as reading. So sequential reads bypass
// the cache (O_DIRECT); if the file system doesn't support that, pages are dropped after they are read. Random reads
// use the cache, since a page may be needed again soon.
class LargeFile {
 public:
  // The alignment of offsets, sizes and addresses. If a disk or file system requires more, the cache is used.
  static constexpr std::size_t kGrain = 4096;

  explicit LargeFile(InputFile file);

  // Reads from `offset` on, up to the end of the file. The offset, the address of `to` and its size must be multiples
  // of kGrain. Throws Error if the file has been truncated since it was opened.
  void read_in_order(std::size_t offset, std::span<std::byte> to) const;
  void read_at_random(std::size_t offset, std::span<std::byte> to) const;

  // Whether sequential reads bypass the cache; true until the file system refuses.
  [[nodiscard]] bool can_bypass_cache() const { return can_bypass_cache_; }

 private:
  void read(std::size_t offset, std::span<std::byte> to) const;
  void set_bypass(bool bypass) const;
  void never_bypass() const;
  void set_flag(bool bypass) const;  // requires the lock

  InputFile file_;
  mutable std::mutex changes_;
  mutable std::atomic<bool> can_bypass_cache_ = true;  // never becomes true again
  mutable std::atomic<bool> bypasses_cache_ = false;   // the descriptor's O_DIRECT flag, which both kinds of read share
};

// Memory in whole pages, to read files into past the page cache. Not inherited across fork() (MADV_DONTFORK): a page
// that a disk writes to may not be shared with a child (open(2), O_DIRECT).
class Pages {
 public:
  Pages() = default;
  // Throws std::bad_alloc.
  explicit Pages(std::size_t size);
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), owner_(other.owner_) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~Pages();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // False in a forked child.
  [[nodiscard]] bool are_ours() const;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  pid_t owner_ = 0;
};

}  // namespace orthodict::files
