// SPDX-License-Identifier: Apache-2.0
#include "engine/workers.h"

#include <utility>

namespace orthodict::engine {

Workers::Workers(int threads) {
  team_.reserve(static_cast<std::size_t>(threads) - 1);
  try {
    for (int id = 1; id < threads; ++id) team_.emplace_back([this, id] { serve(id); });
  } catch (const std::system_error&) {
    // The system grants no more threads: those that there are do the work, with the same result.
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

void Workers::run(const std::function<void(int)>& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    busy_ = static_cast<int>(team_.size());
    ++round_;
  }
  wake_.notify_all();
  call(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  job_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::call(int id) noexcept {
  try {
    (*job_)(id);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void Workers::serve(int id) {
  unsigned seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return quit_ || round_ != seen; });
      if (quit_) return;
      seen = round_;
    }
    call(id);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace orthodict::engine
