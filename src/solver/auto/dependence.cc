// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/dependence.h"

#include <algorithm>

#include "solver/auto/constants.h"

namespace orthodict::solver {
namespace {

// Products of pairs of rows, a column per pair, without their means over each window.
Matrix<double> products_of(const Matrix<double>& z, Index window) {
  const Index d = z.rows();
  const Index pairs = std::min(kPairsOfDependence, d * (d - 1));
  const Vector<double> spread = (z.rowwise().squaredNorm() / static_cast<double>(z.cols())).cwiseSqrt();
  Matrix<double> products(z.cols(), pairs);
  for (Index k = 0; k < pairs; ++k) {
    // Pairs spread evenly over all: an offset from 1 to d − 1 for each first row.
    const Index i = k % d;
    const Index j = (i + 1 + k * (d - 1) / pairs) % d;
    const double unit = spread[i] > 0 ? 1 / spread[i] : 0;
    products.col(k) = (z.row(i).array() * unit).max(-1).min(1) * z.row(j).array();
  }
  for (Index first = 0; first + window <= z.cols(); first += window) {
    auto rows = products.middleRows(first, window);
    rows.rowwise() -= rows.colwise().mean().eval();
  }
  return products;
}

double autocovariance(const Matrix<double>& products, Index window, Index lag) {
  double sum = 0;
  Index count = 0;
  for (Index first = 0; first + window <= products.rows(); first += window) {
    sum += products.middleRows(first, window - lag).cwiseProduct(products.middleRows(first + lag, window - lag)).sum();
    count += window - lag;
  }
  return sum / static_cast<double>(count);
}

}  // namespace

double dependence_of(const Matrix<double>& z, Index window) {
  if (z.rows() < 2 || window < 8) return 1;
  const Matrix<double> products = products_of(z, window);
  const double variance = autocovariance(products, window, 0);
  if (!(variance > 0)) return 1;
  double time = 1;
  Index last = 0;
  // Lags that grow by half: each stands for those since the one before.
  for (Index lag = 1; lag <= window / 4; lag = std::max(lag + 1, lag * 3 / 2)) {
    const double correlation = autocovariance(products, window, lag) / variance;
    if (correlation < kLeastCorrelation) break;
    time += 2 * correlation * static_cast<double>(lag - last);
    last = lag;
  }
  return time;
}

}  // namespace orthodict::solver
