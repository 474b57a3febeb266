// SPDX-License-Identifier: Apache-2.0
// Stands for _exit() in builds that count which lines are run: the process of data/isolation.h, which was forked, ends
// by it, and would take its counts with it. In the process itself handlers of signals call it, where counts can't be
// written: that takes memory, which the code that was interrupted may be taking.
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
