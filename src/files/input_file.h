// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "files/file_descriptor.h"

namespace orthodict::files {

// A regular file, open for reading. Throws Error, naming it, for what can't be opened, isn't a regular file or is
// empty.
class InputFile {
 public:
  explicit InputFile(const std::string& path) : InputFile(path, path) {}
  // `name` is what messages name.
  InputFile(const std::string& path, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int get() const { return descriptor_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }  // of the file, when it was opened

  // Reads the bytes at `offset`; throws Error when the file hasn't them any more.
  void read(std::size_t offset, std::span<std::byte> to) const;
  // The first bytes of the file: so many, or all that it has.
  [[nodiscard]] std::vector<std::byte> start(std::size_t count) const;

 private:
  std::string name_;
  FileDescriptor descriptor_;
  std::size_t size_ = 0;
};

}  // namespace orthodict::files
