// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/axes.h"

#include <algorithm>
#include <unordered_set>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "solver/hash.h"

namespace orthodict::solver::overcomplete {

Axes::Axes(const engine::Moments& moments, bool centred, double rms) : rms_(rms) {
  mean_ = centred ? moments.mean : Vector<double>::Zero(moments.mean.size());
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(moments.second_moment);
  constexpr double kNothing = 1e-10;
  const Index n = eigen.values.size();
  Index rank = 0;
  while (rank < n && eigen.values[n - 1 - rank] > kNothing * eigen.values[n - 1]) ++rank;
  axes_ = eigen.vectors.rightCols(rank);
  scale_ = eigen.values.tail(rank).cwiseSqrt().cwiseInverse() * rms;
}

Matrix<double> Axes::coordinates_of(const Samples& samples, engine::Workers& workers, Index* copies) const {
  const Index p = samples.size();
  Matrix<double> y(rank(), p);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(p));
  constexpr Index kBlock = 1024;
  workers.for_each(workers.count(), (p + kBlock - 1) / kBlock, [&](Index b) {
    const Index first = b * kBlock;
    const Index count = std::min(kBlock, p - first);
    Vector<double> scratch(samples.dimension() * count);
    const Block<double> block = samples.block(first, count, scratch.data());
    Matrix<double> x = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(block.data, samples.dimension(), count,
                                                                                 Eigen::OuterStride<>(block.stride));
    x.colwise() -= mean_;
    for (Index i = 0; i < count; ++i) {
      const Vector<double> sample = x.col(i).array() + 0.0;  // −0 is 0
      hashes[static_cast<std::size_t>(first + i)] = hash_of(values_of(sample));
    }
    linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, y.rows(), count, x.rows(), 1 / rms_, axes_.data(),
                 axes_.rows(), x.data(), x.rows(), 0.0, &y(0, first), y.rows());
  });
  std::unordered_set<std::uint64_t> seen;
  std::vector<Index> distinct;
  *copies = 0;
  for (Index i = 0; i < p; ++i) {
    if (y.col(i).isZero(0)) continue;
    const bool is_new = seen.insert(hashes[static_cast<std::size_t>(i)]).second;
    is_new ? distinct.push_back(i) : void(++*copies);
  }
  if (static_cast<Index>(distinct.size()) == p) return y;
  return y(Eigen::all, distinct);
}

RowMatrix<double> Axes::dictionary_of(const Matrix<double>& atoms) const {
  return linalg::multiply(axes_, atoms).transpose();
}

}  // namespace orthodict::solver::overcomplete
