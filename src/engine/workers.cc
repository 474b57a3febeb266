// SPDX-License-Identifier: Apache-2.0
#include "engine/workers.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "linalg/buffer.h"
#include "simd/subnormals.h"

namespace orthodict::engine {
namespace {

// Polls the condition for a moment before the caller sleeps: usually the next pass follows at once, and waking a thread
// takes longer than a small pass. Returns whether the condition became true.
template <typename Condition>
bool spin_until(const Condition& condition) {
  constexpr std::chrono::microseconds kMoment{100};
  const auto end = std::chrono::steady_clock::now() + kMoment;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return true;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

Workers::Workers(int threads, Ranks* ranks)
    : collective_(ranks), spins_(threads <= static_cast<int>(std::thread::hardware_concurrency())) {
  collective_.together([&] {
    threads = linalg::prepare_buffers(threads);
    team_.reserve(static_cast<std::size_t>(threads) - 1);
  });
  try {
    for (int id = 1; id < threads; ++id) team_.emplace_back([this, id] { serve(id); });
  } catch (const std::exception&) {
    // The system refused another thread. The threads created so far do the work, with the same result.
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : team_) thread.join();
}

void Workers::run(int team, const std::function<void(int)>& job) {
  if (team == 1) {
    [[maybe_unused]] const simd::FlushSubnormals flush;
    job(0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    job_team_ = team;
    busy_ = team - 1;
    ++round_;
  }
  wake_.notify_all();
  call(0);
  const auto all_done = [this] { return busy_ == 0; };
  if (!spins_ || !spin_until(all_done)) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, all_done);
  }
  const std::lock_guard lock(mutex_);
  job_ = nullptr;
  job_team_ = 0;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::for_each(int team, Index tasks, const std::function<void(Index)>& task) {
  std::atomic<Index> next = 0;
  run(std::clamp(static_cast<int>(std::min<Index>(tasks, team)), 1, count()), [&](int) {
    for (Index i = next++; i < tasks; i = next++) task(i);
  });
}

void Workers::call(int id) noexcept {
  try {
    [[maybe_unused]] const simd::FlushSubnormals flush;
    (*job_)(id);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Workers::serve(int id) {
  unsigned seen = 0;
  const auto called = [&] { return quit_ || round_ != seen; };
  for (;;) {
    if (!spins_ || !spin_until(called)) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, called);
    }
    if (quit_) return;
    {
      // A thread outside the team may wake up late and see a later round, whose team may include it.
      const std::lock_guard lock(mutex_);
      seen = round_;
      if (id >= job_team_) continue;
    }
    call(id);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

int threads_or_all(std::optional<int> asked) {
  return asked.value_or(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

int team_for(double flops, const Workers& workers) {
  constexpr double kWorthAThread = 1e6;
  return std::clamp(static_cast<int>(std::min(flops / kWorthAThread, 1e4)), 1, workers.count());
}

}  // namespace orthodict::engine
