// SPDX-License-Identifier: Apache-2.0
#include "linalg/cholesky.h"

#include <algorithm>
#include <utility>

#include "linalg/blas.h"
#include "linalg/lapack.h"

namespace orthodict::linalg {
namespace {

// Columns per block of the factor, whose diagonal blocks LAPACK handles, and of the Gram matrix.
constexpr Index kFactorBlock = 48;
constexpr Index kGramBlock = 192;

// C ← C·op(B) for a small square B.
template <typename Scalar>
void multiply_in_place(Scalar* c, Index rows, Index columns, Index ldc, const Scalar* b, Op op, Index ldb,
                       Matrix<Scalar>& scratch) {
  using Columns = Eigen::Map<const Matrix<Scalar>, 0, Eigen::OuterStride<>>;
  scratch = Columns(c, rows, columns, Eigen::OuterStride<>(ldc));
  gemm(Op::kNone, op, rows, columns, columns, Scalar(1), scratch.data(), rows, b, ldb, Scalar(0), c, ldc);
}

}  // namespace

template <typename Scalar>
void gram(const Matrix<Scalar>& x, const ForEach& for_each, Matrix<Scalar>* w) {
  const Index m = x.rows(), n = x.cols();
  for_each((n + kGramBlock - 1) / kGramBlock, [&](Index block) {
    const Index j = block * kGramBlock;
    const Scalar* from = x.data() + j * m;
    gemm(Op::kTranspose, Op::kNone, n - j, std::min(kGramBlock, n - j), m, Scalar(1), from, m, from, m, Scalar(0),
         w->data() + j * n + j, n);
  });
}

template <typename Scalar>
Cholesky<Scalar>::Cholesky(Matrix<Scalar> w) : l_(std::move(w)), inverses_(kFactorBlock, l_.cols()) {
  for (Index j = 0; j < l_.cols() && positive_definite_; j += kFactorBlock) {
    factor_block(j, std::min(kFactorBlock, l_.cols() - j));
  }
}

// Left-looking: subtract the contributions of earlier columns from the block column, then factor it.
template <typename Scalar>
void Cholesky<Scalar>::factor_block(Index column, Index width) {
  const Index n = l_.cols(), below = n - column - width;
  Scalar* diagonal = &l_(column, column);
  if (column > 0) {
    gemm(Op::kNone, Op::kTranspose, n - column, width, column, Scalar(-1), &l_(column, 0), n, &l_(column, 0), n,
         Scalar(1), diagonal, n);
  }
  Scalar* inverse = &inverses_(0, column);
  positive_definite_ = factor_and_invert(diagonal, width, n, inverse, kFactorBlock);
  if (!positive_definite_ || below == 0) return;
  Matrix<Scalar> scratch;
  multiply_in_place(diagonal + width, below, width, n, inverse, Op::kTranspose, kFactorBlock, scratch);
}

template <typename Scalar>
void Cholesky<Scalar>::solve_right(Matrix<Scalar>* t) const {
  const Index n = l_.cols(), rows = t->rows();
  const auto width = [n](Index column) { return std::min(kFactorBlock, n - column); };
  Matrix<Scalar> scratch;
  for (Index j = 0; j < n; j += kFactorBlock) {  // T·L⁻ᵀ
    if (j > 0) {
      gemm(Op::kNone, Op::kTranspose, rows, width(j), j, Scalar(-1), t->data(), rows, &l_(j, 0), n, Scalar(1),
           &(*t)(0, j), rows);
    }
    multiply_in_place(&(*t)(0, j), rows, width(j), rows, &inverses_(0, j), Op::kTranspose, kFactorBlock, scratch);
  }
  for (Index j = (n - 1) / kFactorBlock * kFactorBlock; j >= 0; j -= kFactorBlock) {  // T·L⁻¹
    const Index after = j + width(j);
    if (after < n) {
      gemm(Op::kNone, Op::kNone, rows, width(j), n - after, Scalar(-1), &(*t)(0, after), rows, &l_(after, j), n,
           Scalar(1), &(*t)(0, j), rows);
    }
    multiply_in_place(&(*t)(0, j), rows, width(j), rows, &inverses_(0, j), Op::kNone, kFactorBlock, scratch);
  }
}

template void gram(const Matrix<float>&, const ForEach&, Matrix<float>*);
template void gram(const Matrix<double>&, const ForEach&, Matrix<double>*);
template class Cholesky<float>;
template class Cholesky<double>;

}  // namespace orthodict::linalg
