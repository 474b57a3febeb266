// SPDX-License-Identifier: Apache-2.0
#include "data/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "data/message.h"
#include "orthodict/error.h"

namespace orthodict::data {
namespace {

std::size_t regular_file_size(const std::string& path, int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) throw data_error(path, "cannot be examined: " + system_message(errno));
  if (S_ISDIR(status.st_mode)) throw data_error(path, "is a directory; need a file");
  if (!S_ISREG(status.st_mode)) throw data_error(path, "isn't a regular file; an .npy stream is read from \"-\"");
  if (status.st_size == 0) throw data_error(path, "is empty");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

// Not blocking, so that a FIFO is refused instead of waited for.
Descriptor::Descriptor(const std::string& path)
    : path_(path), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_ < 0) throw data_error(path, "cannot be opened: " + system_message(errno));
  try {
    size_ = regular_file_size(path, fd_);
  } catch (...) {
    close(fd_);
    throw;
  }
}

Descriptor::~Descriptor() { close(fd_); }

void Descriptor::read(std::size_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = pread(fd_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw data_error(path_, "cannot be read: " + system_message(errno));
    if (got == 0) throw data_error(path_, "was cut off while it was read");
    offset += static_cast<std::size_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

std::vector<std::byte> Descriptor::start(std::size_t count) const {
  std::vector<std::byte> bytes(std::min(count, size_));
  read(0, bytes);
  return bytes;
}

}  // namespace orthodict::data
