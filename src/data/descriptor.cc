// SPDX-License-Identifier: Apache-2.0
#include "data/descriptor.h"

#include <fcntl.h>
#include <poll.h>
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

// A slow sender must not keep a stop waiting: this one asks again and again. Signals, by which a stop is often told,
// interrupt poll() before anyone could act on them.
void wait_for(int descriptor, const std::stop_token& stop) {
  constexpr int kMilliseconds = 50;
  pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
  while (!stop.stop_requested()) {
    const int found = poll(&ready, 1, kMilliseconds);
    if (found > 0 || (found < 0 && errno != EINTR)) return;
  }
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

std::size_t read_stream(int descriptor, std::span<std::byte> to, const std::string& name, const std::stop_token& stop) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  std::size_t got = 0;
  while (got < to.size()) {
    wait_for(descriptor, stop);
    if (stop.stop_requested()) break;
    const ssize_t some = ::read(descriptor, to.data() + got, std::min(kMost, to.size() - got));
    if (some < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (some < 0) throw data_error(name, "cannot be read: " + system_message(errno));
    if (some == 0) break;
    got += static_cast<std::size_t>(some);
  }
  return got;
}

}  // namespace orthodict::data
