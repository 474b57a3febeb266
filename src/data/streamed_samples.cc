// SPDX-License-Identifier: Apache-2.0
#include "data/streamed_samples.h"

#include <fcntl.h>

#include <type_traits>
#include <vector>

#include "data/convert.h"
#include "data/sample_traits.h"

namespace orthodict::data {
namespace {

class StreamedSamples final : public Samples {
 public:
  StreamedSamples(const InputFile& file, const ArrayInFile& located, Index dimension, Index size)
      : in_order_(file.again()),
        at_random_(file.again()),
        type_(located.array.type),
        byte_swapped_(located.array.byte_swapped),
        offset_(located.offset),
        dimension_(dimension),
        size_(size),
        name_(located.array.name),
        sample_shape_(located.array.column_major ? std::vector<Index>{} : picture_shape(located.array.shape)) {
    posix_fadvise(at_random_.get(), 0, 0, POSIX_FADV_RANDOM);
  }

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::vector<Index> sample_shape() const override { return sample_shape_; }
  [[nodiscard]] bool fits_f32() const override { return data::fits_f32(type_); }

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
      const StridedView rows{.type = type_,
                             .byte_swapped = byte_swapped_,
                             .data = buffer.data(),
                             .row = {.count = count, .stride = dimension_, .offsets = {}},
                             .column = {.count = dimension_, .stride = 1, .offsets = {}}};
      convert_rows(rows, 0, count, scratch);
    }
    return {scratch, dimension_};
  }

  // A single sample is one of a random choice, what is around it isn't needed.
  void read_bytes(std::size_t begin, std::span<std::byte> to, bool single) const {
    if (single) return at_random_.read(begin, to);
    in_order_.read(begin, to);
    advise(begin, begin + to.size());
  }

  // Each time that a window is left, the system is asked for those ahead and relieved of the one behind.
  void advise(std::size_t begin, std::size_t end) const {
    constexpr std::size_t kWindow = std::size_t{1} << 21;
    constexpr std::size_t kAhead = 4;
    const std::size_t window = end / kWindow;
    if (begin / kWindow == window) return;
    posix_fadvise(in_order_.get(), static_cast<off_t>(window * kWindow), kAhead * kWindow, POSIX_FADV_WILLNEED);
    if (window >= 2) {
      posix_fadvise(in_order_.get(), static_cast<off_t>((window - 2) * kWindow), kWindow, POSIX_FADV_DONTNEED);
    }
  }

  InputFile in_order_;
  InputFile at_random_;
  ElementType type_;
  bool byte_swapped_;
  std::size_t offset_;
  Index dimension_;
  Index size_;
  std::string name_;
  std::vector<Index> sample_shape_;
};

}  // namespace

std::unique_ptr<Samples> stream_samples(const InputFile& file, const ArrayInFile& located, Index dimension,
                                        Index size) {
  return std::make_unique<StreamedSamples>(file, located, dimension, size);
}

}  // namespace orthodict::data
