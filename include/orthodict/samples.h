// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orthodict/array.h"
#include "orthodict/eigen.h"
#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// Samples [first, first + count) as the columns of an n×count block: sample j starts at data + j·stride.
template <typename Scalar>
struct Block {
  const Scalar* data = nullptr;
  Index stride = 0;
};

// The name of what a sample comes from, and its number there.
struct SamplePlace {
  std::string name;
  Index sample = 0;
};

// What gives samples, block by block. The solver sees data only through this.
//
// block() either points into the source's own storage (nothing is copied) or fills `scratch`, which has room for
// n·count scalars, and points there. It is called from several threads at once, with any range inside [0, size()),
// and must give the same values every time.
class ORTHODICT_EXPORT Samples {
 public:
  Samples() = default;
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  virtual ~Samples() = default;

  [[nodiscard]] virtual Index dimension() const = 0;          // n
  [[nodiscard]] virtual Index size() const = 0;               // p
  [[nodiscard]] virtual const std::string& name() const = 0;  // for messages
  // How the entries of a sample are arranged, the last index running fastest: {height, width} or {height, width,
  // channels} of a picture. Empty where a sample is a plain vector.
  [[nodiscard]] virtual std::vector<Index> sample_shape() const { return {}; }
  // Every value is exact in single precision: passes in it then lose nothing of the data.
  [[nodiscard]] virtual bool fits_f32() const { return false; }
  // Whether this rank has a share of the samples only; else all ranks have all of them, and the same.
  [[nodiscard]] virtual bool is_shared_out() const { return false; }
  // Where a sample is found, for messages; of several files, in one of them.
  [[nodiscard]] virtual SamplePlace place_of(Index sample) const { return {name(), sample}; }
  virtual Block<float> block(Index first, Index count, float* scratch) const = 0;
  virtual Block<double> block(Index first, Index count, double* scratch) const = 0;
};

// Views of an array, any element type, order and byte order, without a copy of it.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_rows(const Array& array);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_columns(const Array& array);

// Views of memory that must outlive them: `size` samples of `dimension` scalars, sample j at data + j·stride,
// stride ≥ dimension. Integers are converted block by block as they are used.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const std::uint8_t* data, Index dimension,
                                                                     Index size, Index stride);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const std::int16_t* data, Index dimension,
                                                                     Index size, Index stride);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const float* data, Index dimension, Index size,
                                                                     Index stride);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const double* data, Index dimension, Index size,
                                                                     Index stride);

// The same for any element type and spacing: feature i of sample j is at data + j·sample_stride + i·feature_stride,
// counted in elements; a stride may be zero or negative. `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(ElementType type, const void* data,
                                                                     Index dimension, Index size, Index sample_stride,
                                                                     Index feature_stride,
                                                                     const std::string& name = "matrix");

// Views of Eigen's matrices, arrays, Maps, Refs and Blocks, of any order: NumPy's X (p×n, a sample is a row), or the
// paper's Y (n×p, a sample is a column). What is viewed must outlive the view, so a temporary that owns its values is
// refused.
template <EigenObject T>
[[nodiscard]] std::unique_ptr<Samples> samples_in_rows(T&& x) {
  constexpr ElementType kType = detail::viewed_type<T>();
  return view_samples(kType, x.data(), x.cols(), x.rows(), x.rowStride(), x.colStride());
}
template <EigenObject T>
[[nodiscard]] std::unique_ptr<Samples> samples_in_columns(T&& y) {
  constexpr ElementType kType = detail::viewed_type<T>();
  return view_samples(kType, y.data(), y.rows(), y.cols(), y.colStride(), y.rowStride());
}

// The samples of several sources of one dimension, one after the other. Throws Error when their dimensions differ.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> join_samples(std::vector<std::unique_ptr<Samples>> parts);

}  // namespace orthodict
