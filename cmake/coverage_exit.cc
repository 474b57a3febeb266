// SPDX-License-Identifier: Apache-2.0
// Replaces _exit() in coverage builds, so that the child process of formats/hdf5/isolation.h writes its counts before
// it exits. In the main process signal handlers call _exit(); there no counts are written, because that allocates
// memory, which isn't safe in a signal handler.
#include <unistd.h>

namespace {
const pid_t started = getpid();
}  // namespace

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void __gcov_dump(void);
[[noreturn]] void __real__exit(int status);
[[noreturn]] void __wrap__exit(int status) {
  if (getpid() != started) __gcov_dump();
  __real__exit(status);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
