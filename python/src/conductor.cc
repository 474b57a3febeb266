// SPDX-License-Identifier: Apache-2.0
#include "conductor.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace orthodict::python {

namespace nb = nanobind;

void Conductor::run(const std::function<void()>& work) {
  {
    const nb::gil_scoped_release release;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        thrown_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      finished_ = true;
      changed_.notify_all();
    });
    wait_for_work();
    worker.join();
  }
  if (raised_) std::rethrow_exception(raised_);
  if (thrown_) std::rethrow_exception(thrown_);
}

bool Conductor::call(const std::function<void()>& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  changed_.notify_all();
  changed_.wait(lock, [this] { return job_ == nullptr; });
  return raised_ == nullptr;
}

void Conductor::wait_for_work() {
  constexpr std::chrono::milliseconds kBetweenLooks(50);
  std::unique_lock lock(mutex_);
  while (!finished_) {
    changed_.wait_for(lock, kBetweenLooks, [this] { return finished_ || job_ != nullptr; });
    if (finished_) return;
    const std::function<void()>* job = job_;
    lock.unlock();
    attend(job);
    lock.lock();
    if (job == nullptr) continue;
    job_ = nullptr;
    changed_.notify_all();
  }
}

void Conductor::attend(const std::function<void()>* job) {
  if (raised_) return;
  const nb::gil_scoped_acquire acquire;
  try {
    if (job != nullptr) (*job)();
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  } catch (...) {
    raised_ = std::current_exception();
    stop_.request_stop();
  }
}

}  // namespace orthodict::python
