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

// A fixed team of threads, the caller's among them, that runs one job at a time; and the ranks that it works with.
// Owned by one fit: nothing is shared with other fits in the process.
class Workers {
 public:
  // To be made on all ranks: a lack of memory on one is an error on all.
  explicit Workers(int threads, Ranks* ranks = nullptr);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] int count() const { return static_cast<int>(team_.size()) + 1; }
  [[nodiscard]] Collective& collective() { return collective_; }

  // Runs job(0) … job(team − 1), one in each thread, and waits for all; 1 ≤ team ≤ count(). The first exception is
  // rethrown. A team of one is the calling thread.
  void run(int team, const std::function<void(int)>& job);

  // Runs task(0) … task(tasks − 1), each once, on a team of at most that many threads.
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

// As many as are asked for; all of the machine when that is left open.
[[nodiscard]] int threads_or_all(std::optional<int> asked);

// How many threads a job of so many floating-point operations is worth: waking one costs as much as about a million.
[[nodiscard]] int team_for(double flops, const Workers& workers);

}  // namespace orthodict::engine
