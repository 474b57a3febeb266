// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

namespace orthodict::python {

// Runs long work for Python in a background thread. Meanwhile the caller's thread releases the GIL and waits: it checks
// for signals twenty times a second (which only Python's main thread may do) and runs the callbacks that the work
// requests. So other Python threads go on, Ctrl-C stops the work within a pass, and callbacks run in the thread of the
// user who passed them. When the interpreter exits, it stops all work and waits for it, because the libraries that the
// work uses are unloaded afterwards. Calling threads that were waiting then never return to Python.
class BackgroundWork {
 public:
  // Must be polled by the work.
  [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }

  // Runs `work` and waits for it. Requires the GIL. Rethrows what the work threw, or throws nb::python_error if a
  // signal handler or a callback raised, after stopping the work.
  void run(const std::function<void()>& work);

  // Called by the work: runs `job` in the caller's thread with the GIL, and waits for it. Returns false if the work
  // should end because there was an exception.
  bool run_in_caller(const std::function<void()>& job);

  // Called with the GIL when the interpreter exits: stops all work and waits for it.
  static void stop_all();

 private:
  void wait_for_work(bool sees_signals);
  void handle_signals_and_job(const std::function<void()>* job);

  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;
  bool finished_ = false;
  bool interpreter_ended_ = false;
  std::exception_ptr raised_;  // by a callback or signal handler
  std::exception_ptr thrown_;  // by the work
};

}  // namespace orthodict::python
