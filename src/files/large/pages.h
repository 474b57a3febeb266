// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <utility>

namespace orthodict::files {

// Memory in whole pages, to read files into past the system's cache. A child that is forked hasn't it: while a disk
// writes to a page, that page may not come to be shared with a child (see open(2), O_DIRECT).
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
  // Whether this is the process that made them.
  [[nodiscard]] bool are_ours() const;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  pid_t owner_ = 0;
};

}  // namespace orthodict::files
