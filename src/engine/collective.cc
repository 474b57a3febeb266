// SPDX-License-Identifier: Apache-2.0
#include "engine/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "orthodict/error.h"

namespace orthodict::engine {
namespace {

// An exception in the form that is sent between ranks; a longer message is truncated.
struct Report {
  static constexpr std::size_t kMost = 1000;
  Fault fault = Fault::kData;
  std::array<char, kMost + 1> message{};

  static Report of(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      return {error.fault(), error.what()};
    } catch (const std::bad_alloc&) {
      return {Fault::kData, "not enough memory"};
    } catch (const std::exception& error) {
      return {Fault::kData, error.what()};
    } catch (...) {
      return {Fault::kData, "an unknown error"};
    }
  }

  Report() = default;
  Report(Fault what, const std::string& text) : fault(what) {
    std::copy_n(text.begin(), std::min(text.size(), kMost), message.begin());
  }
};

}  // namespace

void Collective::exchange(std::span<const Ranks::Outgoing> out, std::span<const Ranks::Incoming> in) {
  for (const Ranks::Outgoing& message : out) bytes_sent_ += message.data.size();
  ranks_->exchange(out, in);
}

// In each round a rank sends its outcome to the rank 1, 2, 4 … places after it: after log₂(count) rounds all ranks
// know.
bool Collective::any(const std::function<bool()>& ask) {
  if (is_alone()) return ask();
  Outcome outcome = kDone;
  std::exception_ptr failure;
  try {
    if (ask()) outcome = kStopped;
  } catch (...) {
    failure = std::current_exception();
    outcome = failed();
  }
  for (int step = 1; step < count(); step *= 2) {
    Outcome heard = kDone;
    const Ranks::Outgoing tell{(rank() + step) % count(), std::as_bytes(std::span(&outcome, 1))};
    const Ranks::Incoming hear{(rank() + count() - step) % count(), std::as_writable_bytes(std::span(&heard, 1))};
    exchange({&tell, 1}, {&hear, 1});
    outcome = std::max(outcome, heard);
  }
  rethrow_failure(outcome, failure);
  return outcome == kStopped;
}

bool Collective::any_if_equal(std::uint64_t own, const std::string& complaint, const std::function<bool()>& ask) {
  if (is_alone()) return ask();
  std::uint64_t heard = 0;
  const Ranks::Outgoing tell{(rank() + 1) % count(), std::as_bytes(std::span(&own, 1))};
  const Ranks::Incoming hear{(rank() + count() - 1) % count(), std::as_writable_bytes(std::span(&heard, 1))};
  exchange({&tell, 1}, {&hear, 1});
  return any([&] {
    if (heard != own) throw Error(Fault::kData, complaint);
    return ask();
  });
}

void Collective::rethrow_failure(Outcome largest, const std::exception_ptr& own) {
  if (largest <= kStopped) return;
  if (!(largest <= kStopped + count())) throw Error(Fault::kData, "ranks are out of step: their options differ");
  const int source = count() - static_cast<int>(largest - kStopped);
  Report report;
  if (rank() == source) report = Report::of(own);
  share(std::span(&report, 1), [&](Index) { return source; });
  if (rank() == source) std::rethrow_exception(own);
  throw Error(report.fault, fmt::format("rank {}: {}", source, report.message.data()));
}

void Collective::share(std::span<std::byte> items, std::size_t size, const std::function<int(Index)>& owner) {
  if (is_alone()) return;
  const auto number = static_cast<Index>(items.size() / size);
  const auto ranks = static_cast<std::size_t>(count());
  std::vector<std::vector<Index>> owned(ranks);
  for (Index i = 0; i < number; ++i) owned[static_cast<std::size_t>(owner(i))].push_back(i);
  const auto item = [&](Index i) { return items.data() + static_cast<std::size_t>(i) * size; };

  const auto self = static_cast<std::size_t>(rank());
  std::vector<std::vector<std::byte>> packed(ranks);
  const auto pack = [&] {
    for (std::size_t r = 0; r < ranks; ++r) packed[r].resize(owned[r].size() * size);
    for (std::size_t k = 0; k < owned[self].size(); ++k) {
      std::memcpy(packed[self].data() + k * size, item(owned[self][k]), size);
    }
  };
  constexpr std::size_t kMayNotFit = std::size_t{1} << 20;
  items.size() > kMayNotFit ? together(pack) : pack();
  std::vector<Ranks::Outgoing> out;
  std::vector<Ranks::Incoming> in;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == self) continue;
    if (!packed[self].empty()) out.push_back({static_cast<int>(r), packed[self]});
    if (!packed[r].empty()) in.push_back({static_cast<int>(r), packed[r]});
  }
  exchange(out, in);
  for (const Ranks::Incoming& message : in) {
    const auto from = static_cast<std::size_t>(message.from);
    for (std::size_t k = 0; k < owned[from].size(); ++k) {
      std::memcpy(item(owned[from][k]), packed[from].data() + k * size, size);
    }
  }
}

}  // namespace orthodict::engine
