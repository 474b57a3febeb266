// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <unistd.h>

#include <csignal>
#include <thread>

#include "command.h"

namespace orthodict::cli {
namespace {

// Never destroyed: the watching thread lives until the process ends.
std::stop_source& source() {
  static auto* const stop = new std::stop_source;
  return *stop;
}

}  // namespace

void watch_for_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // Blocked here, and so in every thread started from here: only the watcher sees them, outside of any handler.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  source();
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    source().request_stop();
    sigwait(&signals, &signal);
    _exit(kInterrupted);
  }).detach();
}

std::stop_token stop_token() { return source().get_token(); }
bool interrupted() { return source().stop_requested(); }

}  // namespace orthodict::cli
