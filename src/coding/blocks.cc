// SPDX-License-Identifier: Apache-2.0
#include "coding/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "coding/selection.h"
#include "linalg/complex.h"
#include "orthodict/error.h"

namespace orthodict::coding {

void check_columns(const std::string& name, Index columns, Index expected, const std::string& what) {
  if (columns != expected) {
    throw data_error(name, fmt::format("{} columns, but the model has {} {}", columns, expected, what));
  }
}

void check_request(const Samples& samples, Index first, Index count, Index expected, const std::string& what) {
  if (first < 0 || count < 0 || first > samples.size() - count) {
    throw option_error("first, count", fmt::format("{}, {}", first, count),
                       fmt::format("a range within the {} rows of {}", samples.size(), samples.name()));
  }
  check_columns(samples.name(), samples.dimension(), expected, what);
}

void check_request(const Samples& samples, Index first, Index count, const Model& model, const std::string& what) {
  if (samples.is_complex() != model.is_complex) {
    throw data_error(samples.name(),
                     fmt::format("has {} numbers, but the model is {}", samples.is_complex() ? "complex" : "real",
                                 model.is_complex ? "complex" : "real"));
  }
  const Index expected = what == "atoms" ? model.atoms() * linalg::reals(model.is_complex) : model.dimension();
  check_request(samples, first, count, expected, what);
}

RowMatrix<double> real_analysis(const Model& model) {
  return linalg::with_multiples_by_i(linalg::conjugate(model.analysis));
}

RowMatrix<double> real_dictionary(const Model& model) { return linalg::with_multiples_by_i(model.dictionary); }

void check_finite(const std::string& name, Index first, const double* values, Index rows, Index columns) {
  if (all_finite(values, rows * columns)) return;
  for (Index j = 0; j < rows; ++j) {
    if (!all_finite(values + j * columns, columns)) {
      throw data_error(name, fmt::format("row {} (counting from 0) has values that aren't finite", first + j));
    }
  }
}

Matrix<double> read_columns(const Samples& samples, Index first, Index count, const Vector<double>& shift) {
  Vector<double> scratch(samples.dimension() * count);
  const Block<double> block = samples.block(first, count, scratch.data());
  Matrix<double> y = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(block.data, samples.dimension(), count,
                                                                               Eigen::OuterStride<>(block.stride));
  if (shift.size() > 0) y.colwise() -= shift;
  return y;
}

// A row-major matrix is passed to GEMM as its column-major transpose.
void multiply_rows(const Samples& samples, Index first, Index count, const Vector<double>& shift,
                   const RowMatrix<double>& matrix, linalg::Op op, double* results, Scratch* scratch) {
  const Index n = samples.dimension();
  const Index columns = op == linalg::Op::kTranspose ? matrix.rows() : matrix.cols();
  if (scratch->samples.size() < n * count) scratch->samples.resize(n * count);
  Block<double> y = samples.block(first, count, scratch->samples.data());
  if (y.stride < n || (shift.size() > 0 && !shift.isZero(0))) {
    for (Index j = 0; j < count; ++j) {
      Eigen::Map<Vector<double>> to(&scratch->samples[j * n], n);
      to = Eigen::Map<const Vector<double>>(y.data + j * y.stride, n);  // which may be there already
      if (shift.size() > 0) to -= shift;
    }
    y = {scratch->samples.data(), n};
  }
  linalg::gemm(op, linalg::Op::kNone, columns, count, n, 1.0, matrix.data(), matrix.cols(), y.data, y.stride, 0.0,
               results, columns);
  check_finite(samples.name(), first, results, count, columns);
}

void add_mean(const Model& model, Index count, double* samples) {
  if (model.mean.isZero(0)) return;
  Eigen::Map<RowMatrix<double>>(samples, count, model.dimension()).rowwise() += model.mean.transpose();
}

int threads_for(Index rows, std::optional<int> asked) {
  return static_cast<int>(std::clamp<Index>((rows + kBlock - 1) / kBlock, 1, engine::threads_or_all(asked)));
}

void for_each_block(Index rows, engine::Workers& workers,
                    const std::function<void(Index first, Index count, Scratch* scratch)>& work) {
  const Index blocks = (rows + kBlock - 1) / kBlock;
  if (blocks == 0) return;
  std::atomic<Index> next = 0;
  workers.run(static_cast<int>(std::min<Index>(blocks, workers.count())), [&](int) {
    Scratch scratch;
    for (Index block = next++; block < blocks; block = next++) {
      const Index first = block * kBlock;
      work(first, std::min(kBlock, rows - first), &scratch);
    }
  });
}

}  // namespace orthodict::coding
