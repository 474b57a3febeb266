// SPDX-License-Identifier: Apache-2.0
#include "data/uncached_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "data/message.h"
#include "orthodict/error.h"

namespace orthodict::data {

// A cache that is used shouldn't be filled with what nobody asked for: who reads in order reads ahead by itself.
UncachedFile::UncachedFile(InputFile file, ByteRange range, Bypass bypass) : file_(std::move(file)), range_(range) {
  bypasses_cache_ = bypass == Bypass::kIfPossible && set_bypass(true);
  posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM);
}

void UncachedFile::read(std::size_t offset, std::span<std::byte> to) const {
  const std::size_t wanted = std::min(to.size(), file_.size() - std::min(offset, file_.size()));
  std::size_t done = 0;
  while (done < wanted) {
    const bool bypassing = bypasses_cache_;
    const ssize_t got = pread(file_.get(), to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EINVAL && bypassing) {
      use_cache();
      continue;
    }
    if (got < 0) throw data_error(file_.name(), "cannot be read: " + system_message(errno));
    if (done + static_cast<std::size_t>(got) >= wanted) break;
    // What remains is asked for from a multiple of the grain again.
    const std::size_t whole = static_cast<std::size_t>(got) / kGrain * kGrain;
    if (whole == 0) throw data_error(file_.name(), "was cut off while it was read");
    done += whole;
  }
  if (!bypasses_cache_) {
    posix_fadvise(file_.get(), static_cast<off_t>(offset), static_cast<off_t>(to.size()), POSIX_FADV_DONTNEED);
  }
}

bool UncachedFile::set_bypass(bool bypass) const {
  const int flags = fcntl(file_.get(), F_GETFL);
  return flags >= 0 && fcntl(file_.get(), F_SETFL, bypass ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

// Some file systems accept O_DIRECT and then refuse to read, or want a larger grain.
void UncachedFile::use_cache() const {
  set_bypass(false);
  bypasses_cache_ = false;
}

}  // namespace orthodict::data
