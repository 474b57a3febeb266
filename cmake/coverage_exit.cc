// SPDX-License-Identifier: Apache-2.0
// Stands for _exit() in builds that count which lines are run: the process of data/isolation.h and the handlers of
// signals end by it, and would take their counts with them.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void __gcov_dump(void);
[[noreturn]] void __real__exit(int status);
[[noreturn]] void __wrap__exit(int status) {
  __gcov_dump();
  __real__exit(status);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
