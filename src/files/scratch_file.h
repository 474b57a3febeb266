// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "files/file_descriptor.h"
#include "files/input_file.h"

namespace orthodict::files {

// A file without a name, in the folder that TMPDIR names or else in /var/tmp, for what doesn't fit in memory. It is
// gone when nobody has it open any more, however the process ends.
class ScratchFile {
 public:
  // `purpose` is what messages name. Where there can't be such a file reserve() says so.
  explicit ScratchFile(std::string purpose);

  // Takes that much of the disk. Throws Error where there isn't so much.
  void reserve(std::size_t bytes);
  // Writes behind what was written before, and doesn't let it stay in memory.
  void append(std::span<const std::byte> bytes);

  [[nodiscard]] bool is_used() const;
  // What was written; it stays as long as that is open.
  [[nodiscard]] InputFile open() const;

 private:
  [[noreturn]] void fail(const std::string& what, int error) const;

  std::string purpose_;
  std::string folder_;
  FileDescriptor file_;
  int open_error_;
  std::size_t written_ = 0;
  std::size_t on_disk_ = 0;
};

}  // namespace orthodict::files
