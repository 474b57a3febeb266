// SPDX-License-Identifier: Apache-2.0
#include "files/large/large_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::files {

// Disables the kernel's read-ahead for reads through the cache.
LargeFile::LargeFile(InputFile file) : file_(std::move(file)) {
  posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM);
  set_bypass(true);
}

void LargeFile::read_in_order(std::size_t offset, std::span<std::byte> to) const {
  set_bypass(true);
  read(offset, to);
  // Some file systems accept O_DIRECT and use the cache anyway.
  posix_fadvise(file_.get(), static_cast<off_t>(offset), static_cast<off_t>(to.size()), POSIX_FADV_DONTNEED);
}

void LargeFile::read_at_random(std::size_t offset, std::span<std::byte> to) const {
  set_bypass(false);
  read(offset, to);
}

void LargeFile::read(std::size_t offset, std::span<std::byte> to) const {
  const std::size_t wanted = std::min(to.size(), file_.size() - std::min(offset, file_.size()));
  std::size_t done = 0;
  while (done < wanted) {
    const bool may_bypass = can_bypass_cache_;
    const ssize_t got = pread(file_.get(), to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && !may_bypass) throw data_error(file_.name(), "cannot be read: " + text::system_message(errno));
    if (got == 0) throw data_error(file_.name(), "was truncated while it was read");
    const auto some = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (done + some >= wanted) return;
    // The next read must start at a multiple of kGrain. Some file systems accept O_DIRECT and then fail to read, or
    // return less than kGrain: retry without O_DIRECT.
    done += may_bypass ? some / kGrain * kGrain : some;
    if (may_bypass && some < kGrain) never_bypass();
  }
}

void LargeFile::set_bypass(bool bypass) const {
  if (bypasses_cache_ == bypass || !can_bypass_cache_) return;
  const std::scoped_lock lock(changes_);
  if (can_bypass_cache_) set_flag(bypass);
}

void LargeFile::never_bypass() const {
  const std::scoped_lock lock(changes_);
  set_flag(false);
  can_bypass_cache_ = false;
}

void LargeFile::set_flag(bool bypass) const {
  const int flags = fcntl(file_.get(), F_GETFL);
  const bool is_set = flags >= 0 && fcntl(file_.get(), F_SETFL, bypass ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
  if (!is_set) can_bypass_cache_ = false;
  bypasses_cache_ = bypass && is_set;
}

Pages::Pages(std::size_t size) : size_(size), owner_(getpid()) {
  void* const mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  madvise(mapping, size, MADV_DONTFORK);
  data_ = static_cast<std::byte*>(mapping);
}

// In a forked child the address range may belong to another mapping.
Pages::~Pages() {
  if (data_ != nullptr && are_ours()) munmap(data_, size_);
}

bool Pages::are_ours() const { return owner_ == getpid(); }

}  // namespace orthodict::files
