// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace orthodict::engine {

// A fixed team of threads, the caller's among them, that runs one job at a time. Owned by one fit: nothing is shared
// with other fits in the process.
class Workers {
 public:
  explicit Workers(int threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  [[nodiscard]] int count() const { return static_cast<int>(team_.size()) + 1; }

  // Runs job(0) … job(count() − 1), one in each thread, and waits for all. The first exception is rethrown.
  void run(const std::function<void(int)>& job);

 private:
  void serve(int id);
  void call(int id) noexcept;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(int)>* job_ = nullptr;
  std::exception_ptr failure_;
  unsigned round_ = 0;
  int busy_ = 0;
  bool quit_ = false;
  std::vector<std::thread> team_;
};

}  // namespace orthodict::engine
