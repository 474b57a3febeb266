// SPDX-License-Identifier: Apache-2.0
#include "orthodict/samples.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "orthodict/error.h"
#include "samples/convert.h"
#include "samples/sample_traits.h"

namespace orthodict {
namespace {

// The rows of a strided view. `owner` keeps the storage alive.
class StridedSamples final : public Samples {
 public:
  StridedSamples(samples::StridedView view, std::shared_ptr<const void> owner, std::string name,
                 std::vector<Index> sample_shape = {})
      : is_complex_(orthodict::is_complex(view.type)),
        view_(samples::in_real_parts(std::move(view))),
        owner_(std::move(owner)),
        name_(std::move(name)),
        sample_shape_(std::move(sample_shape)) {}

  [[nodiscard]] Index dimension() const override { return view_.column.count; }
  [[nodiscard]] Index size() const override { return view_.row.count; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::vector<Index> sample_shape() const override { return sample_shape_; }
  [[nodiscard]] bool fits_f32() const override { return samples::fits_f32(view_.type); }
  [[nodiscard]] bool is_complex() const override { return is_complex_; }

  Block<float> block(Index first, Index count, float* scratch) const override {
    return block_of<float>(first, count, scratch);
  }
  Block<double> block(Index first, Index count, double* scratch) const override {
    return block_of<double>(first, count, scratch);
  }

 private:
  template <typename Scalar>
  Block<Scalar> block_of(Index first, Index count, Scalar* scratch) const {
    if (usable_in_place<Scalar>()) {
      const auto* samples = reinterpret_cast<const Scalar*>(view_.data);
      return {samples + view_.row.offset(first), sample_stride()};
    }
    samples::convert_rows(view_, first, count, scratch);
    return {scratch, dimension()};
  }

  template <typename Scalar>
  [[nodiscard]] bool usable_in_place() const {
    constexpr ElementType kNative = std::is_same_v<Scalar, float> ? ElementType::kF32 : ElementType::kF64;
    const bool contiguous = dimension() <= 1 || (view_.column.even() && view_.column.stride == 1);
    const bool aligned = reinterpret_cast<std::uintptr_t>(view_.data) % alignof(Scalar) == 0;
    const bool spaced = size() <= 1 || (view_.row.even() && view_.row.stride >= dimension());
    return view_.type == kNative && !view_.byte_swapped && contiguous && spaced && aligned;
  }

  // A single sample may have any stride, but BLAS requires at least n.
  [[nodiscard]] Index sample_stride() const { return size() == 1 ? dimension() : view_.row.stride; }

  bool is_complex_;
  samples::StridedView view_;
  std::shared_ptr<const void> owner_;
  std::string name_;
  std::vector<Index> sample_shape_;
};

// Samples of n contiguous elements at a distance of `stride`.
std::unique_ptr<Samples> view_of(ElementType type, const void* elements, Index n, Index p, Index stride) {
  if (stride < n) {
    throw option_error("dimension, stride", std::to_string(n) + ", " + std::to_string(stride),
                       "such that stride ≥ dimension");
  }
  return view_samples(type, elements, n, p, stride, 1);
}

}  // namespace

std::unique_ptr<Samples> samples_in_rows(const Array& array) {
  return std::make_unique<StridedSamples>(
      samples::strided_view(array), array.owner, array.name,
      is_complex(array.type) ? std::vector<Index>() : samples::picture_shape(array.shape));
}

std::unique_ptr<Samples> samples_in_columns(const Array& array) {
  return std::make_unique<StridedSamples>(samples::strided_view(array).transposed(), array.owner, array.name);
}

std::unique_ptr<Samples> view_samples(ElementType type, const void* data, Index dimension, Index size,
                                      Index sample_stride, Index feature_stride, const std::string& name) {
  if (dimension < 0 || size < 0) {
    throw option_error("dimension, size", std::to_string(dimension) + ", " + std::to_string(size), "not negative");
  }
  if (data == nullptr && dimension > 0 && size > 0) throw option_error("data", "null", "where the samples are");
  samples::StridedView view;
  view.type = type;
  view.data = static_cast<const std::byte*>(data);
  view.row = {.count = size, .stride = sample_stride, .offsets = {}};
  view.column = {.count = dimension, .stride = feature_stride, .offsets = {}};
  return std::make_unique<StridedSamples>(std::move(view), nullptr, name);
}
std::unique_ptr<Samples> view_samples(const std::uint8_t* data, Index dimension, Index size, Index stride) {
  return view_of(ElementType::kU8, data, dimension, size, stride);
}
std::unique_ptr<Samples> view_samples(const std::int16_t* data, Index dimension, Index size, Index stride) {
  return view_of(ElementType::kI16, data, dimension, size, stride);
}
std::unique_ptr<Samples> view_samples(const float* data, Index dimension, Index size, Index stride) {
  return view_of(ElementType::kF32, data, dimension, size, stride);
}
std::unique_ptr<Samples> view_samples(const double* data, Index dimension, Index size, Index stride) {
  return view_of(ElementType::kF64, data, dimension, size, stride);
}

}  // namespace orthodict
