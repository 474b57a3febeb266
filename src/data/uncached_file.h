// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "data/input_file.h"

namespace orthodict::data {

struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// A file that is read without a trace in the system's cache. Past it (O_DIRECT) where the file system has that: a large
// file would push everything else out of the cache and still not be there when it is needed again, and keeping it costs
// the processor several times what reading it does. Elsewhere what was read is forgotten at once.
class UncachedFile {
 public:
  static constexpr std::size_t kGrain = 4096;  // the least that any disk or system can ask for

  enum class Bypass { kIfPossible, kNever };
  // `range` is what of the file will be used.
  UncachedFile(InputFile file, ByteRange range, Bypass bypass = Bypass::kIfPossible);

  [[nodiscard]] ByteRange range() const { return range_; }
  [[nodiscard]] bool bypasses_cache() const { return bypasses_cache_; }

  // Reads what the file has from `offset` on, `to` at most. The offset, the size of `to` and its address are multiples
  // of kGrain. Throws Error when the file is shorter than it was when it was opened.
  void read(std::size_t offset, std::span<std::byte> to) const;

 private:
  bool set_bypass(bool bypass) const;  // false where the system doesn't
  void use_cache() const;              // from here on

  InputFile file_;
  ByteRange range_;
  mutable std::atomic<bool> bypasses_cache_ = false;
};

}  // namespace orthodict::data
