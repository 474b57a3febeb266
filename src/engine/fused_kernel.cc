// SPDX-License-Identifier: Apache-2.0
#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "engine/kernel.h"
#include "engine/tiles.h"

namespace orthodict::engine {
namespace {

// Samples per block: the codes of one panel stay in the first-level cache.
constexpr Index kBlock = 128;

template <typename Scalar>
using AlignedArray = hwy::AlignedFreeUniquePtr<Scalar[]>;

template <typename Scalar>
AlignedArray<Scalar> zeros(Index size) {
  auto array = hwy::AllocateAligned<Scalar>(static_cast<std::size_t>(size));
  if (!array) throw std::bad_alloc();
  std::fill_n(array.get(), size, Scalar(0));
  return array;
}

// Splits a range into pieces of nearly equal size, none larger than `most`.
class Cut {
 public:
  Cut(Index size, Index most) : size_(size), pieces_((size + most - 1) / most) {}
  [[nodiscard]] Index pieces() const { return pieces_; }
  [[nodiscard]] Index begin(Index piece) const { return size_ * piece / pieces_; }
  [[nodiscard]] Index size(Index piece) const { return begin(piece + 1) - begin(piece); }

 private:
  Index size_;
  Index pieces_;
};

// For each panel of atoms: match all samples of the block, stretch, and accumulate over all features. The codes of a
// panel stay in the first-level cache; B and the block of samples stay in the second-level cache.
template <typename Scalar>
class FusedKernel final : public Kernel<Scalar> {
 public:
  FusedKernel(const Stretch& stretch, const Matrix<double>& matcher, const Vector<double>& offset, PassOutput output,
              bool is_complex)
      : stretch_(stretch),
        output_(output),
        is_complex_(is_complex),
        atoms_(matcher.rows()),
        dimension_(matcher.cols()),
        vectors_((atoms_ + tiles_.lanes - 1) / tiles_.lanes),
        panels_(vectors_, Tiles<Scalar>::kMaxVectors),
        features_(dimension_, tiles_.columns),
        matcher_(zeros<Scalar>(rows() * dimension_)),
        offset_(zeros<Scalar>(rows())) {
    for (Index panel = 0; panel < panels_.pieces(); ++panel) pack(matcher, panel);
    for (Index i = 0; i < offset.size(); ++i) offset_[static_cast<std::size_t>(i)] = static_cast<Scalar>(offset[i]);
  }

  [[nodiscard]] Index block() const override { return kBlock; }
  [[nodiscard]] Index rows() const override { return vectors_ * tiles_.lanes; }
  [[nodiscard]] std::unique_ptr<typename Kernel<Scalar>::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>(*this);
  }

 private:
  class Workspace final : public Kernel<Scalar>::Workspace {
   public:
    explicit Workspace(const FusedKernel& kernel)
        : kernel_(kernel),
          codes_(zeros<Scalar>(Tiles<Scalar>::kMaxVectors * kernel.tiles_.lanes * kBlock)),
          sums_(kernel.rows(), 3) {}

    void run(const Block<Scalar>& y, Index count, bool contiguous, PassResult& result) override {
      sums_.setZero();
      for (Index panel = 0; panel < kernel_.panels_.pieces(); ++panel) {
        const Index row = kernel_.first_row(panel);
        kernel_.match(panel, y, count, contiguous, codes_.get());
        stretch_block(kernel_.stretch_, kernel_.is_complex_, codes_.get(), kernel_.panel_rows(panel), count, row,
                      &sums_);
        if (kernel_.output_ == PassOutput::kCorrelation) kernel_.accumulate(panel, codes_.get(), y, count, result);
      }
      result.add_sums(sums_);
    }

    void flush(PassResult&) override {}

   private:
    const FusedKernel& kernel_;
    AlignedArray<Scalar> codes_;
    Matrix<Scalar> sums_;  // value, derivative, curvature
  };

  [[nodiscard]] Index first_row(Index panel) const { return panels_.begin(panel) * tiles_.lanes; }
  [[nodiscard]] Index panel_rows(Index panel) const { return panels_.size(panel) * tiles_.lanes; }

  // Padding rows after the last atom stay zero.
  void pack(const Matrix<double>& matcher, Index panel) {
    const Index first = first_row(panel);
    const Index count = std::min(panel_rows(panel), atoms_ - first);
    Scalar* to = matcher_.get() + first * dimension_;
    for (Index k = 0; k < dimension_; ++k, to += panel_rows(panel)) {
      for (Index i = 0; i < count; ++i) to[i] = static_cast<Scalar>(matcher(first + i, k));
    }
  }

  void match(Index panel, const Block<Scalar>& y, Index count, bool contiguous, Scalar* codes) const {
    const auto& row = tiles_.match[static_cast<std::size_t>(panels_.size(panel) - 1)];
    const Index first = first_row(panel);
    const Cut samples(count, tiles_.columns);
    for (Index tile = 0; tile < samples.pieces(); ++tile) {
      const Scalar* from = y.data + samples.begin(tile) * y.stride;
      // Each panel prefetches a part of the next block, which therefore arrives while this block is processed.
      const bool fetches = contiguous && tile % panels_.pieces() == panel % samples.pieces();
      row[static_cast<std::size_t>(samples.size(tile) - 1)](
          matcher_.get() + first * dimension_, dimension_, from, y.stride, offset_.get() + first,
          reinterpret_cast<std::uintptr_t>(from) + (fetches ? count * y.stride * sizeof(Scalar) : 0),
          codes + samples.begin(tile) * panel_rows(panel));
    }
  }

  void accumulate(Index panel, const Scalar* codes, const Block<Scalar>& y, Index count, PassResult& result) const {
    const auto& row = tiles_.accumulate[static_cast<std::size_t>(panels_.size(panel) - 1)];
    for (Index tile = 0; tile < features_.pieces(); ++tile) {
      const Index feature = features_.begin(tile);
      row[static_cast<std::size_t>(features_.size(tile) - 1)](codes, count, y.data + feature, y.stride,
                                                              &result.correlation(first_row(panel), feature), rows());
    }
  }

  Tiles<Scalar> tiles_ = tiles<Scalar>();
  const Stretch& stretch_;
  PassOutput output_;
  bool is_complex_;
  Index atoms_;
  Index dimension_;
  Index vectors_;  // of atoms
  Cut panels_;     // of vectors
  Cut features_;
  AlignedArray<Scalar> matcher_;  // panel after panel
  AlignedArray<Scalar> offset_;
};

}  // namespace

template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_fused_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                                  const Vector<double>& offset, PassOutput output, bool is_complex) {
  return std::make_unique<FusedKernel<Scalar>>(stretch, matcher, offset, output, is_complex);
}

template <typename Scalar>
Index lanes_of_tiles() {
  return tiles<Scalar>().lanes;
}

template Index lanes_of_tiles<float>();
template Index lanes_of_tiles<double>();
template std::unique_ptr<Kernel<float>> make_fused_kernel(const Stretch&, const Matrix<double>&, const Vector<double>&,
                                                          PassOutput, bool);
template std::unique_ptr<Kernel<double>> make_fused_kernel(const Stretch&, const Matrix<double>&, const Vector<double>&,
                                                           PassOutput, bool);

}  // namespace orthodict::engine
