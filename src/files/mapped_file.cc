// SPDX-License-Identifier: Apache-2.0
#include "files/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::files {

MappedFile::MappedFile(const InputFile& file) : size_(file.size()) {
  void* mapping = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapping == MAP_FAILED) throw data_error(file.name(), "cannot be mapped: " + text::system_message(errno));
  data_ = static_cast<const std::byte*>(mapping);
  counted_.emplace(size_);
}

MappedFile::~MappedFile() { munmap(const_cast<std::byte*>(data_), size_); }

}  // namespace orthodict::files
