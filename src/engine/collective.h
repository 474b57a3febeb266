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

// What ranks do together. All of them call the same functions in the same order: whatever decides which ones must be
// the same on all. A process of its own is one rank that talks to nobody.
class Collective {
 public:
  // Null: one rank. Otherwise `ranks` must outlive it.
  explicit Collective(Ranks* ranks = nullptr) : ranks_(ranks) {}

  [[nodiscard]] int count() const { return ranks_ ? ranks_->count() : 1; }
  [[nodiscard]] int rank() const { return ranks_ ? ranks_->rank() : 0; }
  [[nodiscard]] bool is_alone() const { return count() == 1; }

  void exchange(std::span<const Ranks::Outgoing> out, std::span<const Ranks::Incoming> in);
  // By exchange() of this rank, so far.
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }

  // Asks on every rank: true when one of them says so. If it throws on one, the same Error is thrown on all.
  [[nodiscard]] bool any(const std::function<bool()>& ask);
  // Does some work on every rank. If it throws on one, the same Error is thrown on all.
  void together(const std::function<void()>& work) {
    static_cast<void>(any([&] { return work(), false; }));
  }

  // any(), which also throws Error on all ranks unless `own` is the same number on all: `complaint`, from a rank whose
  // number differs from that of the rank before it.
  [[nodiscard]] bool any_if_equal(std::uint64_t own, const std::string& complaint, const std::function<bool()>& ask);
  void require_equal(std::uint64_t own, const std::string& complaint) {
    static_cast<void>(any_if_equal(own, complaint, [] { return false; }));
  }

  // How a rank's own share of some work ended. Of several the largest counts.
  using Outcome = double;
  static constexpr Outcome kDone = 0;
  static constexpr Outcome kStopped = 1;
  [[nodiscard]] Outcome failed() const { return kStopped + count() - rank(); }
  // Throws what happened, on all ranks, when the largest outcome says that work failed on some; `own` is what happened
  // here, null if nothing.
  void rethrow_failure(Outcome largest, const std::exception_ptr& own);

  // Items of `size` bytes, of which each rank has those that it owns: afterwards all ranks have all.
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
