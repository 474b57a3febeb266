// SPDX-License-Identifier: Apache-2.0
#include "files/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::files {
namespace {

std::size_t regular_file_size(const std::string& name, int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) throw data_error(name, "cannot be examined: " + text::system_message(errno));
  if (S_ISDIR(status.st_mode)) throw data_error(name, "is a directory; need a file");
  if (!S_ISREG(status.st_mode))
    throw data_error(name, "isn't a regular file; an .npy stream can be piped to standard input");
  if (status.st_size == 0) throw data_error(name, "is empty");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

// Non-blocking, because opening a FIFO would otherwise wait for a writer.
InputFile::InputFile(const std::string& path, std::string name)
    : name_(std::move(name)), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (get() < 0) {
    const int error = errno;
    throw data_error(name_,
                     "cannot be opened: " + text::system_message(error) + (error == EMFILE ? " (ulimit -n)" : ""));
  }
  size_ = regular_file_size(name_, get());
}

void InputFile::read(std::size_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = pread(get(), to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw data_error(name_, "cannot be read: " + text::system_message(errno));
    if (got == 0) throw data_error(name_, "was truncated while it was read");
    offset += static_cast<std::size_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

std::vector<std::byte> InputFile::start(std::size_t count) const {
  std::vector<std::byte> bytes(std::min(count, size_));
  read(0, bytes);
  return bytes;
}

}  // namespace orthodict::files
