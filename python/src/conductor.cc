// SPDX-License-Identifier: Apache-2.0
#include "conductor.h"

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

// Asking a dying interpreter for its lock would end the thread by unwinding it, which C++ answers with an abort.
void wait_for_the_end() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// The conductors that are at work. Never destroyed: threads may outlive everything else.
struct Underway {
  pid_t process = getpid();  // in a child that was forked the others don't run, and may have left the mutex locked
  std::mutex mutex;
  std::condition_variable changed;
  std::set<Conductor*> conductors;
};
Underway& underway() {
  static auto* const kAll = new Underway;
  return *kAll;
}

bool is_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

void Conductor::run(const std::function<void()>& work) {
  const bool sees_signals = is_main_thread();
  std::thread worker([&] {  // before the lock is given up: where there is no thread to be had this throws
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
    const std::lock_guard lock(underway().mutex);
    underway().conductors.insert(this);
  }
  PyThreadState* const state = PyEval_SaveThread();
  wait_for_work(sees_signals);
  worker.join();
  bool ended = false;
  {
    const std::lock_guard lock(underway().mutex);
    underway().conductors.erase(this);
    underway().changed.notify_all();
    ended = over_;
  }
  if (ended || is_finalizing()) wait_for_the_end();
  PyEval_RestoreThread(state);
  if (raised_) std::rethrow_exception(raised_);
  if (thrown_) std::rethrow_exception(thrown_);
}

void Conductor::end_all() {
  constexpr std::chrono::seconds kPatience(10);  // a callback may never return
  if (underway().process != getpid()) return;
  const nb::gil_scoped_release release;
  std::unique_lock lock(underway().mutex);
  for (Conductor* conductor : underway().conductors) {
    const std::lock_guard its_own(conductor->mutex_);
    conductor->stop_.request_stop();
    conductor->over_ = true;
  }
  underway().changed.wait_for(lock, kPatience, [] { return underway().conductors.empty(); });
}

bool Conductor::call(const std::function<void()>& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  changed_.notify_all();
  changed_.wait(lock, [this] { return job_ == nullptr; });
  return raised_ == nullptr && !over_;
}

void Conductor::wait_for_work(bool sees_signals) {
  constexpr std::chrono::milliseconds kBetweenLooks(50);
  std::unique_lock lock(mutex_);
  while (!finished_) {
    changed_.wait_for(lock, kBetweenLooks, [this] { return finished_ || job_ != nullptr; });
    if (finished_) return;
    const std::function<void()>* job = job_;
    lock.unlock();
    if (is_finalizing()) {
      stop_.request_stop();
      over_ = true;
    } else if (job != nullptr || sees_signals) {
      attend(job);
    }
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
