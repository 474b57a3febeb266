// SPDX-License-Identifier: Apache-2.0
#include "course.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "draw.h"

namespace orthodict::soak {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStage = 50;         // fits from one measurement to the next
constexpr std::size_t kWarmUp = 200;       // fits until all code is loaded and each kind of buffer has been allocated
constexpr std::size_t kFewestStages = 10;  // for a significant slope
constexpr std::uint64_t kLater = 40;       // fits between a fit and its repetition
// Bytes per fit. Of the resident size a page, the least that the system can count. Of the heap what fills malloc's
// cache for a thread, 7 blocks of each of 64 sizes up to 1 kB, in some 900 fits.
constexpr double kMostResident = 4096;
constexpr double kMostHeap = 256;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // sanitizers keep freed memory
#else
constexpr bool kSanitized = false;
#endif

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Course::Course(Settings settings) : settings_(std::move(settings)) {
  schedule();
  hashes_.resize(jobs_.size());
  stages_.reserve(jobs_.size() / kStage + 2);
}

void Course::schedule() {
  const auto chosen = [](std::uint64_t number) { return number % 10 == 0; };
  first_of_.resize(settings_.fits);
  for (std::uint64_t i = 0; i < settings_.fits + kLater; ++i) {
    if (i < settings_.fits) {
      first_of_[i] = jobs_.size();
      jobs_.push_back({i, false});
    }
    if (i >= kLater && chosen(i - kLater)) jobs_.push_back({i - kLater, true});
  }
}

// 1 to 3; differs between repetitions and between courses.
int Course::threads_of(const Job& job) const {
  const auto shift = static_cast<std::uint64_t>(settings_.callers > 1 ? 1 : 0) + (job.again ? 1 : 0);
  return 1 + static_cast<int>((Draw(settings_.seed, job.number).bits() % 3 + shift) % 3);
}

void Course::run() {
  const auto start = Clock::now();
  Watchdog watchdog(settings_.callers);
  const int threads = count_threads();
  stages_.push_back(measure_resources(0, threads));
  for (std::size_t from = 0; from < jobs_.size(); from += kStage) {
    const std::size_t to = std::min(from + kStage, jobs_.size());
    run_stage(from, to, &watchdog);
    stages_.push_back(measure_resources(to, threads));
  }
  for (std::size_t at = 0; at < jobs_.size(); ++at) {
    const Job& job = jobs_[at];
    if (hashes_[at] != hashes_[first_of_[job.number]]) fail(job.number, "another result with other threads");
  }
  seconds_ = seconds_since(start);
}

// All callers are idle while resources are measured, so memory of running fits isn't counted.
void Course::run_stage(std::size_t from, std::size_t to, Watchdog* watchdog) {
  std::atomic<std::size_t> next = from;
  const auto call = [&](int caller) {
    for (std::size_t at = next++; at < to; at = next++) {
      watchdog->begin(caller, jobs_[at].number);
      run_job(at);
      watchdog->end(caller);
    }
  };
  if (settings_.callers == 1) return call(0);
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < settings_.callers; ++caller) callers.emplace_back(call, caller);
}

void Course::run_job(std::size_t at) {
  const Job& job = jobs_[at];
  const auto start = Clock::now();
  const Plan plan = make_plan(settings_.seed, job.number);
  const Outcome outcome = perform(plan, threads_of(job), settings_.folder / std::to_string(at));
  hashes_[at] = outcome.hash;
  const std::lock_guard lock(mutex_);
  slowest_ = std::max(slowest_, {seconds_since(start), job.number});
  ++outcomes_[{plan.trouble, outcome.kind}];
  if (!outcome.failure.empty()) fail(job.number, outcome.failure + "\n  " + plan.describe());
}

void Course::fail(std::uint64_t number, const std::string& what) {
  ++failures_;
  fmt::print(stderr, "soak: --seed {} --case {}, {} at once: {}\n", settings_.seed, number, settings_.callers, what);
}

void Course::compare_with(const Course& other) {
  for (std::uint64_t i = 0; i < settings_.fits; ++i) {
    if (hashes_[first_of_[i]] != other.hashes_[other.first_of_[i]]) fail(i, "another result than one at a time");
  }
}

std::vector<Resources> Course::settled() const {
  std::vector<Resources> stages;
  std::copy_if(stages_.begin(), stages_.end(), std::back_inserter(stages),
               [](const Resources& stage) { return stage.fits >= kWarmUp; });
  return stages;
}

bool Course::judges_growth() const { return settled().size() >= kFewestStages && !kSanitized; }

void Course::judge_resources() {
  const Resources& start = stages_.front();
  const Resources& end = stages_.back();
  const auto require = [&](bool holds, const std::string& what) {
    if (holds) return;
    ++failures_;
    fmt::print(stderr, "soak: {}\n", what);
  };
  require(end.files == start.files, fmt::format("{} open files became {}", start.files, end.files));
  require(end.threads == start.threads, fmt::format("{} threads became {}", start.threads, end.threads));
  const auto has_children = [](const Resources& stage) { return stage.children; };
  require(std::none_of(stages_.begin(), stages_.end(), has_children), "a process was left");
  if (!judges_growth()) return;
  const double resident = slope(settled(), &Resources::resident);
  const double heap = slope(settled(), &Resources::heap);
  require(resident <= kMostResident, fmt::format("the resident size grows by {:.0f} bytes per fit", resident));
  require(heap <= kMostHeap, fmt::format("the heap grows by {:.0f} bytes per fit", heap));
}

void Course::print() const {
  fmt::print("{} fits and {} of them again, {} at a time, in {:.0f} s; the longest took {:.1f} s (case {})\n\n",
             settings_.fits, jobs_.size() - settings_.fits, settings_.callers, seconds_, slowest_.first,
             slowest_.second);
  fmt::print("    fits  resident MB   heap MB  files  threads\n");
  for (const Resources& stage : stages_) {
    fmt::print("{:>8} {:>12.2f} {:>9.3f} {:>6} {:>8}\n", stage.fits, static_cast<double>(stage.resident) / 1e6,
               static_cast<double>(stage.heap) / 1e6, stage.files, stage.threads);
  }
  fmt::print("\ntrouble                 outcomes\n");
  for (auto at = outcomes_.begin(); at != outcomes_.end();) {
    const Trouble trouble = at->first.first;
    std::string text;
    for (; at != outcomes_.end() && at->first.first == trouble; ++at) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", at->first.second, at->second);
    }
    fmt::print("{:<23} {}\n", name_of(trouble), text);
  }
  fmt::print("\nafter {} fits, bytes per fit: resident {:+.0f} (legal: {:.0f}), heap {:+.0f} ({:.0f})\n\n", kWarmUp,
             slope(settled(), &Resources::resident), kMostResident, slope(settled(), &Resources::heap), kMostHeap);
  std::fflush(stdout);
}

}  // namespace orthodict::soak
