// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

namespace orthodict::files {

// Owns a file descriptor and closes it; negative if empty.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

// A path by which this process can reopen the file of a descriptor, even if the file was unlinked or replaced.
[[nodiscard]] std::string path_of(int descriptor);

// Reads from any descriptor until `to` is full. Returns the number of bytes read, which is less at the end of the file
// or after a stop was requested. Throws Error that names `name`.
std::size_t read_stream(int descriptor, std::span<std::byte> to, const std::string& name,
                        const std::stop_token& stop = {});

}  // namespace orthodict::files
