// SPDX-License-Identifier: Apache-2.0
#include "watchdog.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace orthodict::soak {
namespace {

// The longest fit takes a few seconds; with eight callers on two cores, and sanitizers, fifty times as long.
constexpr std::chrono::seconds kPatience{300};

}  // namespace

Watchdog::Watchdog(int callers)
    : callers_(callers),
      slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(callers))),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void Watchdog::begin(int caller, std::uint64_t number) {
  slots_[static_cast<std::size_t>(caller)].number = number;
  slots_[static_cast<std::size_t>(caller)].since = Clock::now().time_since_epoch().count();
}

void Watchdog::end(int caller) { slots_[static_cast<std::size_t>(caller)].since = 0; }

void Watchdog::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (int i = 0; i < callers_; ++i) {
      const Slot& slot = slots_[static_cast<std::size_t>(i)];
      const Clock::rep since = slot.since;
      if (since == 0 || Clock::now().time_since_epoch() - Clock::duration(since) < kPatience) continue;
      fmt::print(stderr, "soak: case {} hangs\n", slot.number.load());
      std::fflush(nullptr);
      std::_Exit(1);
    }
  }
}

}  // namespace orthodict::soak
