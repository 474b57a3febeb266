// SPDX-License-Identifier: Apache-2.0
#include "coding/blocks.h"

#include <fmt/format.h>

#include <algorithm>

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

void check_finite(const std::string& name, Index first, const RowMatrix<double>& values) {
  if (values.allFinite()) return;
  for (Index j = 0; j < values.rows(); ++j) {
    if (!values.row(j).allFinite()) {
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
RowMatrix<double> apply(const RowMatrix<double>& matrix, linalg::Op op, const Matrix<double>& samples) {
  const Index columns = op == linalg::Op::kTranspose ? matrix.rows() : matrix.cols();
  RowMatrix<double> result(samples.cols(), columns);
  linalg::gemm(op, linalg::Op::kNone, columns, samples.cols(), samples.rows(), 1.0, matrix.data(), matrix.cols(),
               samples.data(), samples.rows(), 0.0, result.data(), columns);
  return result;
}

void for_each_block(Index rows, engine::Workers& workers, const std::function<void(Index, Index)>& work) {
  const Index blocks = (rows + kBlock - 1) / kBlock;
  if (blocks == 0) return;
  const auto team = static_cast<int>(std::min<Index>(blocks, workers.count()));
  workers.for_each(team, blocks, [&](Index block) {
    const Index first = block * kBlock;
    work(first, std::min(kBlock, rows - first));
  });
}

}  // namespace orthodict::coding
