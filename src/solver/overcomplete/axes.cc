// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/axes.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "coding/blocks.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "solver/coordinates.h"
#include "solver/hash.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/means.h"

namespace orthodict::solver::overcomplete {

namespace {

// Per feature: the rms of all samples' entries; or its own standard deviation, if these differ too much. Those that are
// at rounding next to the feature's mean don't count.
Vector<double> units_of(const engine::Moments& moments, double rms) {
  const Vector<double> own = moments.second_moment.diagonal().cwiseSqrt();
  double smallest = own.maxCoeff();
  for (Index i = 0; i < own.size(); ++i) {
    if (own[i] > kRoundingOfMean * std::abs(moments.mean[i])) smallest = std::min(smallest, own[i]);
  }
  if (smallest * kFarApart >= own.maxCoeff()) return Vector<double>::Constant(own.size(), rms);
  return own.cwiseMax(smallest);
}

}  // namespace

Axes::Axes(const engine::Moments& moments, bool centred)
    : rms_(std::sqrt(moments.second_moment.trace() / static_cast<double>(moments.mean.size()))),
      unit_(units_of(moments, rms_)),
      mean_(centred ? moments.mean : Vector<double>::Zero(moments.mean.size())) {
  const auto to_unit = unit_.cwiseInverse().asDiagonal();
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(to_unit * moments.second_moment * to_unit);
  const Index rank = numerical_rank(eigen.values);
  axes_ = eigen.vectors.rightCols(rank);
  scale_ = eigen.values.tail(rank).cwiseSqrt().cwiseInverse();
}

Matrix<double> Axes::coordinates_of(const Samples& samples, engine::Workers& workers, Index* copies) const {
  const Index p = samples.size();
  Matrix<double> y(rank(), p);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(p));
  constexpr Index kBlock = 1024;
  workers.for_each(workers.count(), (p + kBlock - 1) / kBlock, [&](Index b) {
    const Index first = b * kBlock;
    const Index count = std::min(kBlock, p - first);
    Matrix<double> x = coding::read_columns(samples, first, count, mean_);
    for (Index i = 0; i < count; ++i) {
      const Vector<double> sample = x.col(i).array() + 0.0;  // −0 is 0
      hashes[static_cast<std::size_t>(first + i)] = hash_of(values_of(sample));
    }
    x = unit_.cwiseInverse().asDiagonal() * x;
    linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, y.rows(), count, x.rows(), 1.0, axes_.data(), axes_.rows(),
                 x.data(), x.rows(), 0.0, &y(0, first), y.rows());
  });
  std::unordered_set<std::uint64_t> seen;
  std::vector<Index> distinct;
  *copies = 0;
  for (Index i = 0; i < p; ++i) {
    if (!seen.insert(hashes[static_cast<std::size_t>(i)]).second) {
      ++*copies;
    } else if (!y.col(i).isZero(0)) {
      distinct.push_back(i);
    }
  }
  if (static_cast<Index>(distinct.size()) == p) return y;
  return y(Eigen::all, distinct);
}

RowMatrix<double> Axes::dictionary_of(const Matrix<double>& atoms) const {
  return unit_columns<double>(unit_.asDiagonal() * linalg::multiply(axes_, atoms)).transpose();
}

}  // namespace orthodict::solver::overcomplete
