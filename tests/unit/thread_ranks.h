// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "orthodict/ranks.h"

namespace orthodict::test {

class Mail {
 public:
  void send(int from, int to, std::span<const std::byte> data) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].emplace_back(data.begin(), data.end());
    arrived_.notify_all();
  }
  std::vector<std::byte> receive(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    if (!arrived_.wait_for(lock, std::chrono::seconds(30), [&] { return !box.empty(); })) {
      throw std::runtime_error("a message that never comes");
    }
    std::vector<std::byte> data = std::move(box.front());
    box.pop_front();
    return data;
  }
  [[nodiscard]] bool is_empty() {
    for (const auto& [way, box] : boxes_) {
      if (!box.empty()) return false;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Mail& mail, int rank, int count) : mail_(mail), rank_(rank), count_(count) {}
  [[nodiscard]] int count() const override { return count_; }
  [[nodiscard]] int rank() const override { return rank_; }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    for (const Outgoing& message : out) mail_.send(rank_, message.to, message.data);
    for (const Incoming& message : in) {
      const std::vector<std::byte> data = mail_.receive(message.from, rank_);
      if (data.size() != message.data.size()) throw std::length_error("a message of another size was expected");
      if (!data.empty()) std::memcpy(message.data.data(), data.data(), data.size());
    }
  }

 private:
  Mail& mail_;
  int rank_;
  int count_;
};

// Runs `work` on each of `count` ranks. Returns each rank's result, or its exception.
template <typename Result>
struct OfRank {
  std::optional<Result> result;
  std::string error;
};
template <typename Work>
auto on_ranks(int count, const Work& work) {
  using Result = decltype(work(std::shared_ptr<Ranks>()));
  Mail mail;
  std::vector<OfRank<Result>> results(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      OfRank<Result>& own = results[static_cast<std::size_t>(rank)];
      try {
        own.result = work(std::make_shared<ThreadRanks>(mail, rank, count));
      } catch (const std::exception& error) {
        own.error = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(mail.is_empty()) << "messages that nobody received";
  return results;
}

}  // namespace orthodict::test
