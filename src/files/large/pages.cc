// SPDX-License-Identifier: Apache-2.0
#include "files/large/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace orthodict::files {

Pages::Pages(std::size_t size) : size_(size), owner_(getpid()) {
  void* const mapping = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  madvise(mapping, size, MADV_DONTFORK);
  data_ = static_cast<std::byte*>(mapping);
}

// In a child something else may lie there.
Pages::~Pages() {
  if (data_ != nullptr && are_ours()) munmap(data_, size_);
}

bool Pages::are_ours() const { return owner_ == getpid(); }

}  // namespace orthodict::files
