// SPDX-License-Identifier: Apache-2.0
#include "files/large/streamed_samples.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "files/large/read_ahead.h"
#include "samples/convert.h"
#include "samples/sample_traits.h"

namespace orthodict::files {
namespace {

ByteRange bytes_of(const ArrayInFile& located, Index dimension, Index size) {
  const std::size_t row = static_cast<std::size_t>(dimension) * element_size(located.array.type);
  return {located.offset, located.offset + static_cast<std::size_t>(size) * row};
}

class StreamedSamples final : public Samples {
 public:
  StreamedSamples(InputFile file, const ArrayInFile& located, Index dimension, Index size)
      : file_(std::move(file), bytes_of(located, dimension, size)),
        is_complex_(orthodict::is_complex(located.array.type)),
        type_(samples::part_type(located.array.type)),
        byte_swapped_(located.array.byte_swapped),
        offset_(located.offset),
        dimension_(is_complex_ ? 2 * dimension : dimension),
        size_(size),
        name_(located.array.name),
        sample_shape_(located.array.column_major || is_complex_ ? std::vector<Index>{}
                                                                : samples::picture_shape(located.array.shape)) {}

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::vector<Index> sample_shape() const override { return sample_shape_; }
  [[nodiscard]] bool fits_f32() const override { return samples::fits_f32(type_); }
  [[nodiscard]] bool is_complex() const override { return is_complex_; }

  Block<float> block(Index first, Index count, float* scratch) const override { return read(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return read(first, count, scratch); }

 private:
  [[nodiscard]] std::size_t row_bytes() const { return static_cast<std::size_t>(dimension_) * element_size(type_); }

  template <typename Scalar>
  Block<Scalar> read(Index first, Index count, Scalar* scratch) const {
    constexpr ElementType kNative = std::is_same_v<Scalar, float> ? ElementType::kF32 : ElementType::kF64;
    const std::size_t begin = offset_ + static_cast<std::size_t>(first) * row_bytes();
    const std::size_t bytes = static_cast<std::size_t>(count) * row_bytes();
    if (type_ == kNative && !byte_swapped_) {
      read_bytes(begin, {reinterpret_cast<std::byte*>(scratch), bytes}, count == 1);
    } else {
      thread_local std::vector<std::byte> buffer;
      buffer.resize(bytes);
      read_bytes(begin, buffer, count == 1);
      const samples::StridedView rows{.type = type_,
                                      .byte_swapped = byte_swapped_,
                                      .data = buffer.data(),
                                      .row = {.count = count, .stride = dimension_, .offsets = {}},
                                      .column = {.count = dimension_, .stride = 1, .offsets = {}}};
      samples::convert_rows(rows, 0, count, scratch);
    }
    return {scratch, dimension_};
  }

  // A request for a single sample is part of a random choice.
  void read_bytes(std::size_t begin, std::span<std::byte> to, bool single) const {
    single ? file_.read_at_random(begin, to) : file_.read_in_order(begin, to);
  }

  mutable ReadAhead file_;
  bool is_complex_;
  ElementType type_;  // of a part of a complex number
  bool byte_swapped_;
  std::size_t offset_;
  Index dimension_;
  Index size_;
  std::string name_;
  std::vector<Index> sample_shape_;
};

}  // namespace

std::unique_ptr<Samples> stream_samples(InputFile file, const ArrayInFile& located, Index dimension, Index size) {
  return std::make_unique<StreamedSamples>(std::move(file), located, dimension, size);
}

}  // namespace orthodict::files
