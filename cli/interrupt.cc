// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <thread>

#include "exit_code.h"
#include "launch.h"

namespace orthodict::cli {
namespace {

// Only async-signal-safe functions may be called in a signal handler, so it writes a byte to a pipe, and a thread at
// the other end requests the stop.
int pipe_ends[2] = {-1, -1};

bool speaks = true;  // false with several ranks, which are all terminated when one fails

void end_at_once(int /*signal*/) {
  constexpr std::string_view kMessage = "orthodict: interrupted\n";
  [[maybe_unused]] const ssize_t written = speaks ? write(STDERR_FILENO, kMessage.data(), kMessage.size()) : 0;
  _exit(kInterrupted);
}

void tell_watcher(int /*signal*/) {
  const int saved = errno;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &byte, 1);
  errno = saved;
}

// SIGXCPU is repeated every second beyond the limit. Only the first counts, so that a run that is ending in order isn't
// killed.
void tell_watcher_once(int signal) {
  static volatile std::sig_atomic_t told = 0;
  if (told == 0) tell_watcher(signal);
  told = 1;
}

void wait_for_signal() {
  char byte = 0;
  while (read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR) {
  }
}

void handle_signal(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

void handle_signals(void (*handler)(int), void (*handler_of_limit)(int)) {
  handle_signal(SIGINT, handler);
  handle_signal(SIGTERM, handler);
  handle_signal(SIGXCPU, handler_of_limit);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle_signal(SIGHUP, handler);  // nohup ignores it
}

// Never destroyed, because the watching thread lives until the process ends.
std::stop_source& source() {
  static auto* const kStop = new std::stop_source;
  return *kStop;
}

}  // namespace

void end_on_interrupt() {
  speaks = launch().ranks == 1;
  handle_signals(end_at_once, end_at_once);
}

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

void stop_on_interrupt() {
  if (pipe(pipe_ends) != 0) return;  // out of file descriptors: signals still end the process at once
  source();
  std::thread([] {
    wait_for_signal();
    source().request_stop();
    wait_for_signal();
    _exit(kInterrupted);
  }).detach();
  handle_signals(tell_watcher, tell_watcher_once);
}

std::stop_token stop_token() { return source().get_token(); }
bool interrupted() { return source().stop_requested(); }

}  // namespace orthodict::cli
