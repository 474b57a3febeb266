// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "files/file_descriptor.h"
#include "files/input_file.h"

namespace orthodict::files {

// An unnamed temporary file in $TMPDIR, or in /var/tmp by default, for data that don't fit in memory. The system
// deletes it when its last descriptor is closed, even if the process is killed.
class ScratchFile {
 public:
  // `purpose` is for messages. If the file can't be created, reserve() throws Error.
  explicit ScratchFile(std::string purpose);

  // Allocates disk space. Throws Error if there isn't enough.
  void reserve(std::size_t bytes);
  // Appends, and drops the written pages from the page cache.
  void append(std::span<const std::byte> bytes);

  [[nodiscard]] bool is_used() const;
  // Opens the written data for reading; they exist as long as the result is open.
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
