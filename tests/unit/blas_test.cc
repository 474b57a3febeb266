// SPDX-License-Identifier: Apache-2.0
// Calls of BLAS and LAPACK, compared with Eigen.
#include "linalg/blas.h"

#include <limits>
#include <vector>

#include "linalg/fortran.h"
#include "linalg/lapack.h"
#include "linalg/tasks.h"
#include "support.h"

namespace orthodict::linalg {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename Scalar>
class Blas : public testing::Test {
 protected:
  static constexpr Scalar kEpsilon = std::numeric_limits<Scalar>::epsilon();
  static Matrix<Scalar> gaussian(Index rows, Index columns, std::uint64_t seed) {
    return test::random_gaussian(rows, columns, seed).cast<Scalar>();
  }
  static Matrix<Scalar> positive_definite(Index n) {
    const Matrix<double> q = test::random_orthogonal<double>(n, 7);
    return Matrix<double>(q * Vector<double>::LinSpaced(n, 1, 5).asDiagonal() * q.transpose()).cast<Scalar>();
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Blas, Scalars);

template <typename Scalar>
Matrix<Scalar> op_of(const Matrix<Scalar>& m, Op op) {
  return op == Op::kNone ? m : Matrix<Scalar>(m.transpose());
}

// The error of a product of inner dimension k is at most k·ε times the product of absolute values: k²·ε for entries of
// size 1.
TYPED_TEST(Blas, GemmMultipliesPartsOfMatrices) {
  using Scalar = TypeParam;
  constexpr Index m = 3, n = 4, k = 5, ld = 9;
  for (const Op op_a : {Op::kNone, Op::kTranspose}) {
    for (const Op op_b : {Op::kNone, Op::kTranspose}) {
      const Matrix<Scalar> a = this->gaussian(ld, op_a == Op::kNone ? k : m, 1);
      const Matrix<Scalar> b = this->gaussian(ld, op_b == Op::kNone ? n : k, 2);
      Matrix<Scalar> c = this->gaussian(ld, n, 3);
      const Matrix<Scalar> product = op_of<Scalar>(a.topRows(op_a == Op::kNone ? m : k), op_a) *
                                     op_of<Scalar>(b.topRows(op_b == Op::kNone ? k : n), op_b);
      Matrix<Scalar> expected = c;
      expected.topRows(m) = Scalar(2) * product - Scalar(3) * c.topRows(m);
      gemm(op_a, op_b, m, n, k, Scalar(2), a.data(), ld, b.data(), ld, Scalar(-3), c.data(), ld);
      EXPECT_LE((c - expected).cwiseAbs().maxCoeff(), 100 * this->kEpsilon);
      EXPECT_EQ(c.bottomRows(ld - m), expected.bottomRows(ld - m));
    }
  }
}

TYPED_TEST(Blas, MultiplyTakesWholeMatrices) {
  using Scalar = TypeParam;
  const Matrix<Scalar> a = this->gaussian(3, 5, 1), b = this->gaussian(5, 4, 2);
  const Matrix<Scalar> expected = a * b;
  const Matrix<Scalar> at = a.transpose(), bt = b.transpose();
  EXPECT_LE((multiply(a, b) - expected).norm(), 25 * this->kEpsilon);
  EXPECT_LE((multiply(at, Op::kTranspose, b, Op::kNone) - expected).norm(), 25 * this->kEpsilon);
  EXPECT_LE((multiply(a, Op::kNone, bt, Op::kTranspose) - expected).norm(), 25 * this->kEpsilon);
  EXPECT_LE((multiply(at, Op::kTranspose, bt, Op::kTranspose) - expected).norm(), 25 * this->kEpsilon);
}

TYPED_TEST(Blas, SymmetricProductsReadTheLowerTriangleOnly) {
  using Scalar = TypeParam;
  const Matrix<Scalar> whole = this->positive_definite(6);
  const Vector<Scalar> x = this->gaussian(6, 1, 4);
  Matrix<Scalar> lower = whole;
  lower.template triangularView<Eigen::StrictlyUpper>().setConstant(static_cast<Scalar>(kNan));
  Vector<Scalar> y = Vector<Scalar>::Constant(6, static_cast<Scalar>(kNan));
  multiply_symmetric(lower, x, &y);
  EXPECT_LE((y - whole * x).norm(), 6 * 5 * this->kEpsilon * x.norm());
}

TEST(Gram, IsAddedToTheLowerTriangle) {
  const Matrix<double> a = test::random_gaussian(7, 3, 1), before = test::random_gaussian(8, 4, 2);
  Matrix<double> c = before;
  add_gram(4, 3, a.data(), 7, c.data(), 8);
  Matrix<double> expected = before;
  const Matrix<double> product = a.topRows(4) * a.topRows(4).transpose();
  expected.topRows(4).triangularView<Eigen::Lower>() = before.topRows(4) + product;
  EXPECT_LE((c - expected).norm(), 1e-14 * expected.norm());
}

TYPED_TEST(Blas, SvdIsThin) {
  using Scalar = TypeParam;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{8, 5}, {5, 8}, {6, 6}, {0, 4}}) {
    const Matrix<Scalar> m = this->gaussian(rows, columns, 5);
    const Svd<Scalar> f = svd(m);
    const Index rank = std::min(rows, columns);
    ASSERT_EQ(f.u.cols(), rank);
    ASSERT_EQ(f.vt.rows(), rank);
    const Scalar tolerance = 100 * this->kEpsilon;
    EXPECT_LE((f.u * f.singular_values.asDiagonal() * f.vt - m).norm(), tolerance * (m.norm() + 1));
    EXPECT_LE((f.u.transpose() * f.u - Matrix<Scalar>::Identity(rank, rank)).norm(), tolerance);
    EXPECT_LE((f.vt * f.vt.transpose() - Matrix<Scalar>::Identity(rank, rank)).norm(), tolerance);
    for (Index i = 1; i < rank; ++i) EXPECT_GE(f.singular_values[i - 1], f.singular_values[i]);
  }
}

TYPED_TEST(Blas, FactorAndInvertLeavesWhatIsAbove) {
  using Scalar = TypeParam;
  constexpr Index n = 5;
  const Matrix<Scalar> whole = this->positive_definite(n);
  Matrix<Scalar> s = Matrix<Scalar>::Constant(8, 6, Scalar(9));
  s.topLeftCorner(n, n).template triangularView<Eigen::Lower>() = whole;
  Matrix<Scalar> inverse = Matrix<Scalar>::Constant(7, 6, Scalar(9));
  ASSERT_TRUE(factor_and_invert(s.data(), n, 8, inverse.data(), 7));
  const Matrix<Scalar> l = s.topLeftCorner(n, n).template triangularView<Eigen::Lower>();
  EXPECT_LE((l * l.transpose() - whole).norm(), 50 * this->kEpsilon * whole.norm());
  EXPECT_LE((inverse.topLeftCorner(n, n) * l - Matrix<Scalar>::Identity(n, n)).norm(), 50 * this->kEpsilon * 5);
  for (Index j = 1; j < n; ++j) {
    for (Index i = 0; i < j; ++i) {
      EXPECT_EQ(s(i, j), Scalar(9));
      EXPECT_EQ(inverse(i, j), Scalar(0));
    }
  }
  Matrix<Scalar> indefinite = whole;
  indefinite(2, 2) = -1;
  EXPECT_FALSE(factor_and_invert(indefinite.data(), n, n, inverse.data(), 7));
}

TEST(SymmetricEigen, RisesAndReadsTheLowerTriangleOnly) {
  const Matrix<double> q = test::random_orthogonal<double>(6, 3);
  const Vector<double> values = Vector<double>::LinSpaced(6, -2, 3);
  const Matrix<double> whole = q * values.asDiagonal() * q.transpose();
  Matrix<double> lower = whole;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(kNan);
  const SymmetricEigen eigen = symmetric_eigen(lower);
  EXPECT_LE((eigen.values - values).norm(), 1e-13);
  EXPECT_LE((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - whole).norm(), 1e-13);
}

TEST(Fortran, CountsIn32Bits) {
  constexpr Index largest = std::numeric_limits<int>::max();
  EXPECT_EQ(to_int(largest), largest);
  EXPECT_EQ(to_int(0), 0);
  EXPECT_THROW((void)to_int(largest + 1), Error);
  EXPECT_EQ(leading(0), 1);
  EXPECT_EQ(leading(5), 5);
}

TEST(Tasks, InTurnAreInOrder) {
  std::vector<Index> done;
  for_each_in_turn(4, [&](Index i) { done.push_back(i); });
  EXPECT_EQ(done, (std::vector<Index>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace orthodict::linalg
