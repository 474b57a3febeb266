// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/cosine.h"

#include <cmath>
#include <numbers>

namespace orthodict::images {
namespace {

// Row k is the cosine of frequency k at n points.
RowMatrix<double> cosines(Index n) {
  RowMatrix<double> rows(n, n);
  const auto length = static_cast<double>(n);
  for (Index k = 0; k < n; ++k) {
    const double scale = std::sqrt((k == 0 ? 1 : 2) / length);
    for (Index i = 0; i < n; ++i) {
      rows(k, i) = scale * std::cos(std::numbers::pi * static_cast<double>(k * (2 * i + 1)) / (2 * length));
    }
  }
  return rows;
}

RowMatrix<double> kronecker(const RowMatrix<double>& a, const RowMatrix<double>& b) {
  RowMatrix<double> product(a.rows() * b.rows(), a.cols() * b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) product.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
  }
  return product;
}

}  // namespace

RowMatrix<double> cosine_transform(const PatchShape& patch) {
  return kronecker(cosines(patch.height), cosines(patch.width));
}

}  // namespace orthodict::images
