// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/collective.h"
#include "engine/lane_plan.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "orthodict/ranks.h"

namespace orthodict {
namespace {

using engine::Collective;
using engine::LanePlan;
using engine::LaneShares;

struct Range {
  Index first = 0;
  Index end = 0;
  [[nodiscard]] Index size() const { return std::max<Index>(end - first, 0); }
  [[nodiscard]] Range operator&(const Range& other) const {
    return {std::max(first, other.first), std::min(end, other.end)};
  }
};

// A description of one rank's samples.
struct Part {
  Index dimension = 0;
  Index size = 0;
  std::array<Index, 3> shape = {};  // sample_shape()
  bool fits_f32 = false;
  bool is_complex = false;
};

std::vector<Part> parts_of_ranks(const Samples& own, Collective& collective) {
  std::vector<Part> parts(static_cast<std::size_t>(collective.count()));
  collective.together([&] {
    Part& part = parts[static_cast<std::size_t>(collective.rank())];
    part = {
        .dimension = own.dimension(), .size = own.size(), .fits_f32 = own.fits_f32(), .is_complex = own.is_complex()};
    const std::vector<Index> shape = own.sample_shape();
    std::copy_n(shape.begin(), std::min(shape.size(), part.shape.size()), part.shape.begin());
  });
  collective.share(std::span(parts), [](Index i) { return static_cast<int>(i); });
  for (std::size_t r = 0; r < parts.size(); ++r) {
    if (parts[r].is_complex != parts[0].is_complex) {
      throw data_error(own.name(),
                       fmt::format("the samples of rank {} are {}, but those of rank 0 are {}", r,
                                   parts[r].is_complex ? "complex" : "real", parts[0].is_complex ? "complex" : "real"));
    }
    if (parts[r].dimension != parts[0].dimension) {
      throw data_error(own.name(), fmt::format("the samples of rank {} have {} features, but those of rank 0 have {}",
                                               r, parts[r].dimension, parts[0].dimension));
    }
  }
  return parts;
}

// The samples of all ranks, of which this rank can read its share: its own samples in that share, and copies of samples
// of lower ranks (before_) and higher ranks (after_).
template <typename Scalar>
class RankSamples final : public Samples {
 public:
  RankSamples(const Samples& own, const std::vector<Part>& parts, Collective& collective)
      : own_(own), name_(fmt::format("samples of {} ranks", parts.size())), dimension_(parts[0].dimension) {
    for (const Part& part : parts) {
      of_ranks_.push_back({size_, size_ + part.size});
      size_ += part.size;
      shape_is_common_ = shape_is_common_ && part.shape == parts[0].shape;
    }
    const LaneShares shares(LanePlan(size_, dimension_), collective.count());
    const auto share = [&](int r) { return Range{shares.first_sample(r), shares.first_sample(r + 1)}; };
    share_ = share(collective.rank());
    held_ = of_ranks_[static_cast<std::size_t>(collective.rank())];
    fetch(share, collective);
  }

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::vector<Index> sample_shape() const override {
    return shape_is_common_ ? own_.sample_shape() : std::vector<Index>{};
  }
  [[nodiscard]] bool fits_f32() const override { return std::is_same_v<Scalar, float>; }
  [[nodiscard]] bool is_complex() const override { return own_.is_complex(); }
  [[nodiscard]] bool is_shared_out() const override { return true; }
  // The place is the same on all ranks; the file is known to one rank only, so it isn't named.
  [[nodiscard]] SamplePlace place_of(Index sample) const override {
    std::size_t rank = 0;
    while (sample >= of_ranks_[rank].end) ++rank;
    return {fmt::format("samples of rank {}", rank), sample - of_ranks_[rank].first};
  }
  Block<float> block(Index first, Index count, float* scratch) const override { return read(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return read(first, count, scratch); }

 private:
  // Sends own samples in the shares of other ranks, and receives the samples in this rank's share.
  void fetch(const std::function<Range(int)>& share, Collective& collective) {
    std::vector<std::vector<Scalar>> packed(of_ranks_.size());
    std::vector<Ranks::Outgoing> out;
    std::vector<Ranks::Incoming> in;
    collective.together([&] {
      memory::with_memory_errors(own_.name(), [&] {
        const auto allocate = [&](std::vector<Scalar>* to, Index count) {
          to->resize(static_cast<std::size_t>(count * dimension_));
        };
        allocate(&before_, (share_ & Range{0, held_.first}).size());
        allocate(&after_, (share_ & Range{held_.end, size_}).size());
        for (std::size_t r = 0; r < of_ranks_.size(); ++r) {
          if (static_cast<int>(r) == collective.rank()) continue;
          const Range theirs = held_ & share(static_cast<int>(r));
          allocate(&packed[r], theirs.size());
          if (theirs.size() > 0) copy_own(theirs.first - held_.first, theirs.size(), packed[r].data());
        }
      });
    });
    Scalar* next_before = before_.data();
    Scalar* next_after = after_.data();
    for (std::size_t r = 0; r < of_ranks_.size(); ++r) {
      const int rank = static_cast<int>(r);
      if (rank == collective.rank()) continue;
      if (!packed[r].empty()) out.push_back({rank, std::as_bytes(std::span(packed[r]))});
      Scalar*& next = rank < collective.rank() ? next_before : next_after;
      const auto size = static_cast<std::size_t>((share_ & of_ranks_[r]).size() * dimension_);
      if (size > 0) in.push_back({rank, std::as_writable_bytes(std::span(next, size))});
      next += size;
    }
    collective.exchange(out, in);
  }

  template <typename To>
  void copy_own(Index first, Index count, To* to) const {
    const Block<To> block = own_.block(first, count, to);
    for (Index j = 0; block.data != to && j < count; ++j) {
      std::copy_n(block.data + j * block.stride, dimension_, to + j * dimension_);
    }
  }

  template <typename To>
  Block<To> read(Index first, Index count, To* scratch) const {
    const Range wanted{first, first + count};
    if ((wanted & share_).size() != wanted.size()) {
      throw Error(Fault::kData,
                  fmt::format("{}: samples {} to {} belong to another rank", name(), first, wanted.end - 1));
    }
    if ((wanted & held_).size() == wanted.size()) return own_.block(first - held_.first, count, scratch);
    const auto copy = [&](const Range& range, const std::vector<Scalar>& from, Index from_first) {
      const auto begin = from.begin() + (range.first - from_first) * dimension_;
      std::copy_n(begin, range.size() * dimension_, scratch + (range.first - first) * dimension_);
    };
    if (const Range r = wanted & Range{0, held_.first}; r.size() > 0) copy(r, before_, share_.first);
    if (const Range r = wanted & held_; r.size() > 0) {
      copy_own(r.first - held_.first, r.size(), scratch + (r.first - first) * dimension_);
    }
    if (const Range r = wanted & Range{held_.end, size_}; r.size() > 0) {
      copy(r, after_, std::max(share_.first, held_.end));
    }
    return {scratch, dimension_};
  }

  const Samples& own_;
  std::string name_;
  Index dimension_;
  Index size_ = 0;
  bool shape_is_common_ = true;
  std::vector<Range> of_ranks_;  // samples that each rank had from the start
  Range held_;                   // samples that this rank had from the start
  Range share_;                  // samples that this rank processes in a pass
  std::vector<Scalar> before_;
  std::vector<Scalar> after_;
};

}  // namespace

std::unique_ptr<Samples> samples_of_ranks(const Samples& own, Ranks& ranks) {
  Collective collective(&ranks);
  const std::vector<Part> parts = parts_of_ranks(own, collective);
  const bool single = std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.fits_f32; });
  if (single) return std::make_unique<RankSamples<float>>(own, parts, collective);
  return std::make_unique<RankSamples<double>>(own, parts, collective);
}

}  // namespace orthodict
