// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

namespace orthodict::python {

// Runs long work for Python. The work has a thread of its own, while the caller's gives up the interpreter's lock and
// waits: it looks for signals twenty times a second (only Python's main thread may), and runs what the work hands back
// to it. So other Python threads go on, Ctrl-C stops the work within a pass, and callbacks run where they were given.
// A thread that is still at work when the interpreter ends stops its work and never returns to Python; the end waits
// for the work, since what comes after it takes down the libraries that the work uses.
class Conductor {
 public:
  // What the work has to watch.
  [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }

  // Called by the thread that holds the interpreter's lock. Throws what the work threw, or nb::python_error when a
  // signal handler or a job raised; the work was stopped then.
  void run(const std::function<void()>& work);

  // Called by the work: runs `job` in the caller's thread, which holds the interpreter's lock meanwhile, and waits for
  // it. False when there was an exception and the work should end.
  bool call(const std::function<void()>& job);

  // Called when the interpreter is about to end, with its lock: stops all work that is under way, and waits for it.
  static void end_all();

 private:
  void wait_for_work(bool sees_signals);
  void attend(const std::function<void()>* job);

  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;
  bool finished_ = false;
  bool over_ = false;          // the interpreter ended
  std::exception_ptr raised_;  // in Python
  std::exception_ptr thrown_;  // by the work
};

}  // namespace orthodict::python
