// SPDX-License-Identifier: Apache-2.0
#include "files/file_descriptor.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::files {
namespace {

// Polls with a timeout, so that a stop request is noticed even if a slow sender sends nothing. A signal that requests a
// stop also interrupts poll(), but possibly before its handler's request is visible.
void wait_for(int descriptor, const std::stop_token& stop) {
  constexpr int kMilliseconds = 50;
  pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
  while (!stop.stop_requested()) {
    const int found = poll(&ready, 1, kMilliseconds);
    if (found > 0 || (found < 0 && errno != EINTR)) return;
  }
}

}  // namespace

std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

std::size_t read_stream(int descriptor, std::span<std::byte> to, const std::string& name, const std::stop_token& stop) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  std::size_t got = 0;
  while (got < to.size()) {
    wait_for(descriptor, stop);
    if (stop.stop_requested()) break;
    const ssize_t some = ::read(descriptor, to.data() + got, std::min(kMost, to.size() - got));
    if (some < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (some < 0) throw data_error(name, "cannot be read: " + text::system_message(errno));
    if (some == 0) break;
    got += static_cast<std::size_t>(some);
  }
  return got;
}

}  // namespace orthodict::files
