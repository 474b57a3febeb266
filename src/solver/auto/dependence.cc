// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/dependence.h"

#include <algorithm>
#include <cmath>

#include "solver/auto/constants.h"

namespace orthodict::solver {
namespace {

// clip(z, ±1)·w for rows z and w.
template <typename Row>
Vector<double> products_of(const Row& z, const Row& w) {
  const double spread = std::sqrt(z.squaredNorm() / static_cast<double>(z.size()));
  return ((z.array() * (spread > 0 ? 1 / spread : 0)).max(-1).min(1) * w.array()).matrix().transpose();
}

void subtract_means(Index window, Matrix<double>* products) {
  for (Index first = 0; first + window <= products->rows(); first += window) {
    auto rows = products->middleRows(first, window);
    rows.rowwise() -= rows.colwise().mean().eval();
  }
}

// Products of pairs of rows, one column per pair, centred in each window.
Matrix<double> products_of_pairs(const Matrix<double>& z, Index window) {
  const Index d = z.rows();
  const Index pairs = std::min(kPairsOfDependence, d * (d - 1));
  Matrix<double> products(z.cols(), pairs);
  for (Index k = 0; k < pairs; ++k) {
    // Spreads pairs evenly over all: offsets from 1 to d − 1 for each first row.
    const Index i = k % d;
    const Index j = (i + 1 + k * (d - 1) / pairs) % d;
    products.col(k) = products_of(z.row(i), z.row(j));
  }
  subtract_means(window, &products);
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

// 1 + 2Σρ(lag), with ρ pooled over all columns.
double autocorrelation_time(const Matrix<double>& products, Index window) {
  const double variance = autocovariance(products, window, 0);
  if (!(variance > 0)) return 1;
  double time = 1;
  Index last = 0;
  // Lags grow by half. Each represents the lags since the previous one.
  for (Index lag = 1; lag <= window / 4; lag = std::max(lag + 1, lag * 3 / 2)) {
    const double correlation = autocovariance(products, window, lag) / variance;
    if (correlation < kLeastCorrelation) break;
    time += 2 * correlation * static_cast<double>(lag - last);
    last = lag;
  }
  return time;
}

constexpr Index kShortestWindow = 8;

}  // namespace

double dependence_of(const Matrix<double>& z, Index window) {
  if (z.rows() < 2 || window < kShortestWindow) return 1;
  return autocorrelation_time(products_of_pairs(z, window), window);
}

Vector<double> dependence_of_rows(const Matrix<double>& z, Index window) {
  Vector<double> result = Vector<double>::Ones(z.rows());
  if (window < kShortestWindow) return result;
  for (Index i = 0; i < z.rows(); ++i) {
    Matrix<double> products = products_of(z.row(i), z.row(i));
    subtract_means(window, &products);
    result[i] = autocorrelation_time(products, window);
  }
  return result;
}

}  // namespace orthodict::solver
