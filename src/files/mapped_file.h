// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "files/input_file.h"
#include "memory/limits.h"
#include "orthodict/export.h"

namespace orthodict::files {

// The bytes of a file, mapped read-only. Throws Error that names the path if the file can't be opened, isn't regular or
// is empty. The file must not shrink while it is mapped.
class ORTHODICT_EXPORT MappedFile {
 public:
  explicit MappedFile(const std::string& path) : MappedFile(InputFile(path)) {}
  // Maps the size that `file` had when it was opened. `file` may be closed afterwards.
  explicit MappedFile(const InputFile& file);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::optional<memory::CountedBytes> counted_;
};

}  // namespace orthodict::files
