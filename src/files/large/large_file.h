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

// A file that is larger than the system's cache. Read in order it would push everything else out of the cache and still
// not be there when it is needed again, and keeping it there costs the processor several times what reading does. So it
// is read past the cache (O_DIRECT) where the file system has that, and elsewhere what was read is forgotten at once.
// Of what is read at random a page may be needed again soon, and stays.
class LargeFile {
 public:
  // What addresses and sizes must be multiples of; where a disk or a file system wants more the cache is used.
  static constexpr std::size_t kGrain = 4096;

  explicit LargeFile(InputFile file);

  // Reads what the file has from `offset` on, `to` at most. The offset, the size of `to` and its address are multiples
  // of kGrain. Throws Error when the file is shorter than it was when it was opened.
  void read_in_order(std::size_t offset, std::span<std::byte> to) const;
  void read_at_random(std::size_t offset, std::span<std::byte> to) const;

  // Whether reading in order goes past the cache, as far as is known.
  [[nodiscard]] bool can_bypass_cache() const { return can_bypass_cache_; }

 private:
  void read(std::size_t offset, std::span<std::byte> to) const;
  void set_bypass(bool bypass) const;
  void never_bypass() const;
  void set_flag(bool bypass) const;  // with the lock held

  InputFile file_;
  mutable std::mutex changes_;
  mutable std::atomic<bool> can_bypass_cache_ = true;  // once it is false the cache is used from then on
  mutable std::atomic<bool> bypasses_cache_ = false;   // a property of the descriptor: there is one for both orders
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
