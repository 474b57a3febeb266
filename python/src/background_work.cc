// SPDX-License-Identifier: Apache-2.0
#include "background_work.h"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

namespace orthodict::python {

namespace nb = nanobind;

namespace {

bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Blocks forever. Requesting the GIL from an interpreter that is exiting would unwind this thread, which aborts a C++
// program.
void wait_for_exit() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// All work in progress. Never destroyed, because threads may outlive static objects.
struct ActiveWork {
  pid_t process = getpid();  // a forked child has none of the threads, and the mutex may be locked there
  std::mutex mutex;
  std::condition_variable changed;
  std::set<BackgroundWork*> works;
};
ActiveWork& active_work() {
  static auto* const kAll = new ActiveWork;
  return *kAll;
}

bool is_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

void BackgroundWork::run(const std::function<void()>& work) {
  const bool sees_signals = is_main_thread();
  std::thread worker([&] {  // before the GIL is released, since this throws if the system has no thread to spare
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  });
  {
    const std::lock_guard lock(active_work().mutex);
    active_work().works.insert(this);
  }
  PyThreadState* const state = PyEval_SaveThread();
  wait_for_work(sees_signals);
  worker.join();
  bool ended = false;
  {
    const std::lock_guard lock(active_work().mutex);
    active_work().works.erase(this);
    active_work().changed.notify_all();
    ended = interpreter_ended_;
  }
  if (ended || is_finalizing()) wait_for_exit();
  PyEval_RestoreThread(state);
  if (raised_) std::rethrow_exception(raised_);
  if (thrown_) std::rethrow_exception(thrown_);
}

void BackgroundWork::stop_all() {
  constexpr std::chrono::seconds kLongestWait(10);  // a callback may never return
  if (active_work().process != getpid()) return;
  const nb::gil_scoped_release release;
  std::unique_lock lock(active_work().mutex);
  for (BackgroundWork* work : active_work().works) {
    const std::lock_guard work_lock(work->mutex_);
    work->stop_.request_stop();
    work->interpreter_ended_ = true;
  }
  active_work().changed.wait_for(lock, kLongestWait, [] { return active_work().works.empty(); });
}

bool BackgroundWork::run_in_caller(const std::function<void()>& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  changed_.notify_all();
  changed_.wait(lock, [this] { return job_ == nullptr; });
  return raised_ == nullptr && !interpreter_ended_;
}

void BackgroundWork::wait_for_work(bool sees_signals) {
  constexpr std::chrono::milliseconds kSignalInterval(50);
  std::unique_lock lock(mutex_);
  while (!finished_) {
    changed_.wait_for(lock, kSignalInterval, [this] { return finished_ || job_ != nullptr; });
    if (finished_) return;
    const std::function<void()>* job = job_;
    lock.unlock();
    if (is_finalizing()) {
      stop_.request_stop();
      interpreter_ended_ = true;
    } else if (job != nullptr || sees_signals) {
      handle_signals_and_job(job);
    }
    lock.lock();
    if (job == nullptr) continue;
    job_ = nullptr;
    changed_.notify_all();
  }
}

void BackgroundWork::handle_signals_and_job(const std::function<void()>* job) {
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
