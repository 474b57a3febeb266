// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "orthodict/array.h"
#include "orthodict/export.h"
#include "orthodict/types.h"

namespace orthodict {

// Samples [first, first + count) as the columns of an n×count block: sample j starts at data + j·stride.
template <typename Scalar>
struct Block {
  const Scalar* data = nullptr;
  Index stride = 0;
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
  virtual Block<float> block(Index first, Index count, float* scratch) const = 0;
  virtual Block<double> block(Index first, Index count, double* scratch) const = 0;
};

// Views of an array, any element type, order and byte order, without a copy of it.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_rows(const Array& array);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_columns(const Array& array);

// Views of a matrix that must outlive them: the paper's Y (n×p, a sample is a column), or NumPy's X (p×n, a row).
template <typename Scalar>
using ColumnSamplesRef = Eigen::Ref<const Matrix<Scalar>, 0, Eigen::OuterStride<>>;
template <typename Scalar>
using RowSamplesRef = Eigen::Ref<const RowMatrix<Scalar>, 0, Eigen::OuterStride<>>;

[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_columns(const ColumnSamplesRef<float>& y);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_columns(const ColumnSamplesRef<double>& y);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_rows(const RowSamplesRef<float>& x);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> samples_in_rows(const RowSamplesRef<double>& x);

}  // namespace orthodict
