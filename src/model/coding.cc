// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "linalg/blas.h"
#include "orthodict/error.h"
#include "orthodict/model.h"

namespace orthodict {
namespace {

void check_request(const Samples& samples, Index first, Index count, Index expected, const std::string& what) {
  if (first < 0 || count < 0 || first > samples.size() - count) {
    throw option_error("first, count", fmt::format("{}, {}", first, count),
                       fmt::format("a range within the {} rows of {}", samples.size(), samples.name()));
  }
  if (samples.dimension() != expected) {
    throw data_error(samples.name(),
                     fmt::format("{} columns, but the model has {} {}", samples.dimension(), expected, what));
  }
}

void check_finite(const Samples& samples, Index first, const Matrix<double>& result) {
  if (result.allFinite()) return;
  for (Index j = 0; j < result.cols(); ++j) {
    if (!result.col(j).allFinite()) {
      throw data_error(samples.name(),
                       fmt::format("row {} (counting from 0) has values that aren't finite", first + j));
    }
  }
}

// matrixᵀ·block for a row-major matrix, whose buffer is its transpose in column-major.
Matrix<double> apply(const RowMatrix<double>& matrix, linalg::Op op, const Samples& samples, Index first, Index count,
                     const Vector<double>& shift) {
  Vector<double> scratch(samples.dimension() * count);
  const Block<double> block = samples.block(first, count, scratch.data());
  Matrix<double> y = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(block.data, samples.dimension(), count,
                                                                               Eigen::OuterStride<>(block.stride));
  if (shift.size() > 0) y.colwise() -= shift;
  const Index rows = op == linalg::Op::kTranspose ? matrix.rows() : matrix.cols();
  Matrix<double> result(rows, count);
  linalg::gemm(op, linalg::Op::kNone, rows, count, samples.dimension(), 1.0, matrix.data(), matrix.cols(), y.data(),
               samples.dimension(), 0.0, result.data(), rows);
  return result;
}

void keep_top(Index top, Matrix<double>* codes) {
  std::vector<Index> order(static_cast<std::size_t>(codes->rows()));
  for (Index j = 0; j < codes->cols(); ++j) {
    auto z = codes->col(j);
    std::iota(order.begin(), order.end(), 0);
    const auto larger = [&](Index a, Index b) {
      return std::abs(z[a]) != std::abs(z[b]) ? std::abs(z[a]) > std::abs(z[b]) : a < b;
    };
    std::nth_element(order.begin(), order.begin() + (top - 1), order.end(), larger);
    for (auto i = static_cast<std::size_t>(top); i < order.size(); ++i) z[order[i]] = 0;
  }
}

}  // namespace

void EncodeOptions::validate(Index atoms) const {
  if (top && (*top < 1 || *top > atoms)) {
    throw option_error("top", fmt::format("{}", *top),
                       fmt::format("an integer from 1 to {}, the atoms of the model", atoms));
  }
  if (threshold && !(*threshold >= 0 && std::isfinite(*threshold))) {
    throw option_error("threshold", fmt::format("{}", *threshold), "a finite number ≥ 0");
  }
}

Matrix<double> encode(const Model& model, const Samples& samples, Index first, Index count,
                      const EncodeOptions& options) {
  options.validate(model.atoms());
  check_request(samples, first, count, model.dimension(), "features");
  Matrix<double> codes = apply(model.analysis, linalg::Op::kTranspose, samples, first, count, model.mean);
  check_finite(samples, first, codes);
  if (options.threshold) codes = (codes.array().abs() >= *options.threshold).select(codes, 0.0);
  if (options.top && *options.top < model.atoms()) keep_top(*options.top, &codes);
  return codes;
}

Matrix<double> decode(const Model& model, const Samples& codes, Index first, Index count) {
  check_request(codes, first, count, model.atoms(), "atoms");
  Matrix<double> samples = apply(model.dictionary, linalg::Op::kNone, codes, first, count, {});
  check_finite(codes, first, samples);
  samples.colwise() += model.mean;
  return samples;
}

}  // namespace orthodict
