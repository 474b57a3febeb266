// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plan.h"

namespace orthodict::soak {

// The samples of a plan, in the form that it chooses, and their storage.
struct Source {
  std::vector<std::byte> bytes;
  std::unique_ptr<Samples> samples;
};

// Writes files to `folder` and causes the plan's file faults. Exceptions of the library propagate.
[[nodiscard]] Source make_source(Plan* plan, const std::filesystem::path& folder);

// Forwards to other samples, and calls a function at the request for the block of that number, counted from 0.
class Watched final : public Samples {
 public:
  Watched(const Samples& of, std::int64_t at, std::function<void()> then)
      : of_(of), left_(at), then_(std::move(then)) {}

  [[nodiscard]] Index dimension() const override { return of_.dimension(); }
  [[nodiscard]] Index size() const override { return of_.size(); }
  [[nodiscard]] const std::string& name() const override { return of_.name(); }
  [[nodiscard]] std::vector<Index> sample_shape() const override { return of_.sample_shape(); }
  [[nodiscard]] bool fits_f32() const override { return of_.fits_f32(); }
  Block<float> block(Index first, Index count, float* scratch) const override { return give(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return give(first, count, scratch); }

 private:
  template <typename Scalar>
  Block<Scalar> give(Index first, Index count, Scalar* scratch) const {
    if (left_.fetch_sub(1) == 0) then_();
    return of_.block(first, count, scratch);
  }

  const Samples& of_;
  mutable std::atomic<std::int64_t> left_;
  std::function<void()> then_;
};

// A subset of other samples.
class Section final : public Samples {
 public:
  Section(const Samples& of, Index first, Index size) : of_(of), first_(first), size_(size) {}

  [[nodiscard]] Index dimension() const override { return of_.dimension(); }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return of_.name(); }
  [[nodiscard]] bool fits_f32() const override { return of_.fits_f32(); }
  Block<float> block(Index first, Index count, float* scratch) const override {
    return of_.block(first_ + first, count, scratch);
  }
  Block<double> block(Index first, Index count, double* scratch) const override {
    return of_.block(first_ + first, count, scratch);
  }

 private:
  const Samples& of_;
  Index first_;
  Index size_;
};

}  // namespace orthodict::soak
