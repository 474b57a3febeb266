// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/collective.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// A fixed team of threads, including the calling thread, that runs one job at a time, and the ranks that this process
// works with. Each fit owns its team; nothing is shared with other fits in the process.
class Workers {
 public:
  // Must be created on all ranks: lack of memory on one rank is an error on all.
  explicit Workers(int threads, Ranks* ranks = nullptr);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] int count() const { return static_cast<int>(team_.size()) + 1; }
  [[nodiscard]] Collective& collective() { return collective_; }

  // Runs job(0) … job(team − 1), one per thread, and waits for all; 1 ≤ team ≤ count(). Rethrows the first exception.
  // With a team of one the job runs in the calling thread.
  void run(int team, const std::function<void(int)>& job);

  // Runs task(0) … task(tasks − 1), each once, on at most `team` threads.
  void for_each(int team, Index tasks, const std::function<void(Index)>& task);

 private:
  void serve(int id);
  void call(int id) noexcept;

  Collective collective_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(int)>* job_ = nullptr;
  int job_team_ = 0;
  std::exception_ptr failure_;
  std::atomic<unsigned> round_ = 0;
  std::atomic<int> busy_ = 0;
  std::atomic<bool> quit_ = false;
  bool spins_;
  std::vector<std::thread> team_;
};

// The number asked for; by default, the number of the machine's hardware threads.
[[nodiscard]] int threads_or_all(std::optional<int> asked);

// The number of threads worth using for this many floating-point operations. Waking a thread costs as much as about a
// million operations.
[[nodiscard]] int team_for(double flops, const Workers& workers);

}  // namespace orthodict::engine
