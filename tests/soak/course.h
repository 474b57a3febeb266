// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "perform.h"
#include "resources.h"
#include "watchdog.h"

namespace orthodict::soak {

// Runs fits 0, 1, 2 …, called from several threads at once. One in ten is repeated later with another number of
// threads.
class Course {
 public:
  struct Settings {
    std::uint64_t seed = 1;
    std::uint64_t fits = 0;
    int callers = 1;
    std::filesystem::path folder;
  };
  explicit Course(Settings settings);

  void run();
  // Checks that the model or message of every fit is the same as in the other course.
  void compare_with(const Course& other);
  // Checks resident size, heap, descriptors, threads and children.
  void judge_resources();
  void print() const;

  [[nodiscard]] std::size_t failures() const { return failures_; }
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }
  // Whether there are enough measurements after the warm-up, and no sanitizer that keeps freed memory.
  [[nodiscard]] bool judges_growth() const;

 private:
  struct Job {
    std::uint64_t number = 0;
    bool again = false;
  };
  void schedule();
  void run_stage(std::size_t from, std::size_t to, Watchdog* watchdog);
  void run_job(std::size_t at);
  [[nodiscard]] int threads_of(const Job& job) const;
  void fail(std::uint64_t number, const std::string& what);
  [[nodiscard]] std::vector<Resources> settled() const;

  Settings settings_;
  std::vector<Job> jobs_;
  std::vector<std::uint64_t> hashes_;  // one per job
  std::vector<std::size_t> first_of_;  // the first job of a case
  std::vector<Resources> stages_;
  std::mutex mutex_;
  std::map<std::pair<Trouble, std::string>, int> outcomes_;
  std::pair<double, std::uint64_t> slowest_ = {0, 0};  // seconds, case
  std::size_t failures_ = 0;
  double seconds_ = 0;
};

}  // namespace orthodict::soak
