// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <type_traits>

#include "orthodict/ranks.h"
#include "orthodict/types.h"

namespace orthodict::engine {

// Operations that all ranks perform together. All ranks must call the same functions in the same order, so any
// condition that selects a call must be the same on all of them. A process without ranks is a group of one, and nothing
// is sent.
class Collective {
 public:
  // With null there is a single rank. Otherwise `ranks` must outlive the object.
  explicit Collective(Ranks* ranks = nullptr) : ranks_(ranks) {}

  [[nodiscard]] int count() const { return ranks_ ? ranks_->count() : 1; }
  [[nodiscard]] int rank() const { return ranks_ ? ranks_->rank() : 0; }
  [[nodiscard]] bool is_alone() const { return count() == 1; }

  void exchange(std::span<const Ranks::Outgoing> out, std::span<const Ranks::Incoming> in);
  // Bytes that this rank has sent through exchange() so far.
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }

  // Calls `ask` on every rank and returns whether it was true on any. If it throws on one rank, the same Error is
  // thrown on all.
  [[nodiscard]] bool any(const std::function<bool()>& ask);
  // Does some work on every rank. If it throws on one, the same Error is thrown on all.
  void together(const std::function<void()>& work) {
    static_cast<void>(any([&] { return work(), false; }));
  }

  // As any(), but first throws Error with the text `complaint` on all ranks unless `own` is the same on all of them.
  // Each rank compares its value with that of the rank before it.
  [[nodiscard]] bool any_if_equal(std::uint64_t own, const std::string& complaint, const std::function<bool()>& ask);
  void require_equal(std::uint64_t own, const std::string& complaint) {
    static_cast<void>(any_if_equal(own, complaint, [] { return false; }));
  }

  // How a rank's share of some work ended. The outcome of all shares is the largest.
  using Outcome = double;
  static constexpr Outcome kDone = 0;
  static constexpr Outcome kStopped = 1;
  [[nodiscard]] Outcome failed() const { return kStopped + count() - rank(); }
  // If the largest outcome is a failure, throws the failing rank's error on all ranks. `own` is this rank's exception,
  // or null.
  void rethrow_failure(Outcome largest, const std::exception_ptr& own);

  // Distributes items of `size` bytes: each rank has those that it owns, and afterwards all ranks have all items.
  void share(std::span<std::byte> items, std::size_t size, const std::function<int(Index)>& owner);
  template <typename T>
  void share(std::span<T> items, const std::function<int(Index)>& owner) {
    static_assert(std::is_trivially_copyable_v<T>);
    share(std::as_writable_bytes(items), sizeof(T), owner);
  }

 private:
  Ranks* ranks_;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace orthodict::engine
