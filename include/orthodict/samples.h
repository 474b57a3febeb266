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

// A block of samples as the columns of an n×count matrix: sample j starts at data + j·stride.
template <typename Scalar>
struct Block {
  const Scalar* data = nullptr;
  Index stride = 0;
};

// Where a sample comes from: the name of the source, and the index in it.
struct SamplePlace {
  std::string name;
  Index sample = 0;
};

// A source of samples, block by block: the interface through which the solver reads data.
//
// block() returns samples [first, first + count). It either points into the source's own storage, without a copy, or
// fills `scratch`, which has room for n·count scalars, and points there. It is called by several threads at once, with
// any range inside [0, size()), and must give the same values every time.
class ORTHODICT_EXPORT Samples {
 public:
  Samples() = default;
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  virtual ~Samples() = default;

  [[nodiscard]] virtual Index dimension() const = 0;          // n; of complex samples 2n
  [[nodiscard]] virtual Index size() const = 0;               // p
  [[nodiscard]] virtual const std::string& name() const = 0;  // for messages
  // The shape of a sample, with the last index varying fastest: {height, width} or {height, width, channels} of a
  // picture. Empty for plain vectors.
  [[nodiscard]] virtual std::vector<Index> sample_shape() const { return {}; }
  // Whether neighbouring numbers of a sample are the real and the imaginary part of a complex number, as an array of
  // std::complex has them.
  [[nodiscard]] virtual bool is_complex() const { return false; }
  // Whether single precision represents every value exactly, so that passes in single precision lose nothing.
  [[nodiscard]] virtual bool fits_f32() const { return false; }
  // Whether this rank has only a share of the samples. Otherwise all ranks have the same samples.
  [[nodiscard]] virtual bool is_shared_out() const { return false; }
  // The origin of a sample, for messages; with several files, one of them.
  [[nodiscard]] virtual SamplePlace place_of(Index sample) const { return {name(), sample}; }
  virtual Block<float> block(Index first, Index count, float* scratch) const = 0;
  virtual Block<double> block(Index first, Index count, double* scratch) const = 0;
};

// Views of an array of any element type, order and byte order, without a copy.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_rows(const Array& array);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_columns(const Array& array);

// A view of memory, which must outlive it: `size` samples of `dimension` scalars, sample j at data + j·stride,
// stride ≥ dimension. Integers are converted block by block when they are used.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const std::uint8_t* data, Index dimension,
                                                                     Index size, Index stride);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const std::int16_t* data, Index dimension,
                                                                     Index size, Index stride);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const float* data, Index dimension, Index size,
                                                                     Index stride);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(const double* data, Index dimension, Index size,
                                                                     Index stride);

// The same for any element type and strides: feature i of sample j is at data + j·sample_stride + i·feature_stride.
// Strides are counted in elements and may be zero or negative; `dimension` counts complex numbers where these are the
// elements. `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> view_samples(ElementType type, const void* data,
                                                                     Index dimension, Index size, Index sample_stride,
                                                                     Index feature_stride,
                                                                     const std::string& name = "matrix");

// Views of Eigen matrices, arrays, Maps, Refs and Blocks of any storage order, with samples in rows (p×n, NumPy's X) or
// in columns (n×p, the paper's Y). The viewed object must outlive the view, so temporaries that own their values don't
// compile.
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

// The samples of several sources, one after the other. Throws Error if their dimensions differ, or if some are complex
// and others aren't.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> join_samples(std::vector<std::unique_ptr<Samples>> parts);

}  // namespace orthodict
