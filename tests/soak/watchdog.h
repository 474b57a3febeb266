// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

namespace orthodict::soak {

// Ends the process and prints the number of the case if a fit doesn't end.
class Watchdog {
 public:
  explicit Watchdog(int callers);
  void begin(int caller, std::uint64_t number);
  void end(int caller);

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    std::atomic<std::uint64_t> number = 0;
    std::atomic<Clock::rep> since = 0;  // 0: idle
  };
  void watch(const std::stop_token& stop);

  int callers_;
  std::unique_ptr<Slot[]> slots_;
  std::jthread thread_;
};

}  // namespace orthodict::soak
