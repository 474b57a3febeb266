// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orthodict/error.h"
#include "orthodict/samples.h"

namespace orthodict {
namespace {

class JoinedSamples final : public Samples {
 public:
  explicit JoinedSamples(std::vector<std::unique_ptr<Samples>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) firsts_.push_back(firsts_.back() + part->size());
    name_ = fmt::format("{} and {} more", parts_.front()->name(), parts_.size() - 1);
  }

  [[nodiscard]] Index dimension() const override { return parts_.front()->dimension(); }
  [[nodiscard]] Index size() const override { return firsts_.back(); }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::vector<Index> sample_shape() const override {
    const auto shape = parts_.front()->sample_shape();
    const bool same =
        std::all_of(parts_.begin(), parts_.end(), [&](const auto& p) { return p->sample_shape() == shape; });
    return same ? shape : std::vector<Index>{};
  }
  [[nodiscard]] bool is_complex() const override { return parts_.front()->is_complex(); }
  [[nodiscard]] bool fits_f32() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->fits_f32(); });
  }

  [[nodiscard]] SamplePlace place_of(Index sample) const override {
    const std::size_t part = part_of(sample);
    return parts_[part]->place_of(sample - firsts_[part]);
  }

  Block<float> block(Index first, Index count, float* scratch) const override { return join(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return join(first, count, scratch); }

 private:
  [[nodiscard]] std::size_t part_of(Index sample) const {
    const auto next = std::upper_bound(firsts_.begin(), firsts_.end(), sample);
    return std::min(static_cast<std::size_t>(next - firsts_.begin()) - 1, parts_.size() - 1);
  }

  template <typename Scalar>
  Block<Scalar> join(Index first, Index count, Scalar* scratch) const {
    std::size_t part = part_of(first);
    if (first + count <= firsts_[part + 1]) return parts_[part]->block(first - firsts_[part], count, scratch);
    const Index n = dimension();
    Scalar* to = scratch;
    for (Index at = first; at < first + count; ++part) {
      const Index end = std::min(first + count, firsts_[part + 1]);
      const Block<Scalar> piece = parts_[part]->block(at - firsts_[part], end - at, to);
      for (Index j = 0; piece.data != to && j < end - at; ++j) {
        std::copy_n(piece.data + j * piece.stride, n, to + j * n);
      }
      to += (end - at) * n;
      at = end;
    }
    return {scratch, n};
  }

  std::vector<std::unique_ptr<Samples>> parts_;
  std::vector<Index> firsts_ = {0};  // index of the first sample of each part; the last entry is the total
  std::string name_;
};

}  // namespace

std::unique_ptr<Samples> join_samples(std::vector<std::unique_ptr<Samples>> parts) {
  if (parts.empty()) throw option_error("parts", "none", "at least one");
  for (const auto& part : parts) {
    if (part->is_complex() != parts.front()->is_complex()) {
      throw data_error(part->name(),
                       fmt::format("is {}, but {} is {}", part->is_complex() ? "complex" : "real",
                                   parts.front()->name(), parts.front()->is_complex() ? "complex" : "real"));
    }
    if (part->dimension() != parts.front()->dimension()) {
      throw data_error(part->name(), fmt::format("{} features, but {} has {}", part->dimension(), parts.front()->name(),
                                                 parts.front()->dimension()));
    }
  }
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JoinedSamples>(std::move(parts));
}

}  // namespace orthodict
