// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

namespace orthodict::files {

// Closes what it holds; negative when that is nothing.
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

// A name under which this process can open again what a descriptor is of, though its own name may be gone.
[[nodiscard]] std::string path_of(int descriptor);

// Reads from a pipe, or whatever else a descriptor is of. Bytes read: fewer than asked for where it ends, or soon after
// a stop is requested. Throws Error, naming `name`.
std::size_t read_stream(int descriptor, std::span<std::byte> to, const std::string& name,
                        const std::stop_token& stop = {});

}  // namespace orthodict::files
