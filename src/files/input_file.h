// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "files/file_descriptor.h"
#include "orthodict/export.h"

namespace orthodict::files {

// A regular file, open for reading. Throws Error that names the file if it can't be opened, isn't regular or is empty.
class ORTHODICT_EXPORT InputFile {
 public:
  explicit InputFile(const std::string& path) : InputFile(path, path) {}
  // `name` is for messages.
  InputFile(const std::string& path, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int get() const { return descriptor_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }  // when the file was opened

  // Reads the bytes at `offset`. Throws Error if the file has been truncated.
  void read(std::size_t offset, std::span<std::byte> to) const;
  // The first `count` bytes of the file, or all if it is shorter.
  [[nodiscard]] std::vector<std::byte> start(std::size_t count) const;

 private:
  std::string name_;
  FileDescriptor descriptor_;
  std::size_t size_ = 0;
};

}  // namespace orthodict::files
