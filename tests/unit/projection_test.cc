// SPDX-License-Identifier: Apache-2.0
#include "orthodict/projection.h"

#include <gtest/gtest.h>

#include "engine/workers.h"
#include "linalg/polar.h"
#include "support.h"

namespace orthodict {
namespace {

template <typename Scalar>
class Projection : public testing::Test {
 public:
  // LAPACK's factors are orthogonal to a small multiple of n·ε.
  static Scalar tolerance(Index n) { return 10 * static_cast<Scalar>(n) * std::numeric_limits<Scalar>::epsilon(); }
  static Matrix<Scalar> gaussian(Index rows, Index columns, std::uint64_t seed) {
    return test::random_gaussian(rows, columns, seed).cast<Scalar>();
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Projection, Scalars);

TYPED_TEST(Projection, HasOrthonormalRowsOrColumns) {
  using Scalar = TypeParam;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {2, 2}, {7, 7}, {40, 40}, {5, 20}, {20, 5}}) {
    const Matrix<Scalar> q = project_orthogonal(this->gaussian(rows, columns, 3));
    const Matrix<Scalar> gram = rows <= columns ? Matrix<Scalar>(q * q.transpose()) : Matrix<Scalar>(q.transpose() * q);
    const Index k = std::min(rows, columns);
    EXPECT_LE((gram - Matrix<Scalar>::Identity(k, k)).norm(), this->tolerance(columns + rows));
  }
}

TYPED_TEST(Projection, LeavesOrthogonalMatricesAlone) {
  using Scalar = TypeParam;
  const Matrix<Scalar> q = test::random_orthogonal<Scalar>(30, 1);
  EXPECT_LE((project_orthogonal(q) - q).norm(), this->tolerance(30));
}

TYPED_TEST(Projection, CommutesWithRotationsOnBothSides) {
  using Scalar = TypeParam;
  const Matrix<Scalar> left = test::random_orthogonal<Scalar>(12, 4);
  const Matrix<Scalar> right = test::random_orthogonal<Scalar>(12, 5);
  const Matrix<Scalar> m = this->gaussian(12, 12, 6);
  const Matrix<Scalar> rotated = left * m * right;
  // The projection is conditioned by the smallest singular value of M.
  const Eigen::JacobiSVD<Matrix<double>> svd(m.template cast<double>());
  const Scalar condition = static_cast<Scalar>(svd.singularValues()[0] / svd.singularValues()[11]);
  EXPECT_LE((project_orthogonal(rotated) - left * project_orthogonal(m) * right).norm(),
            this->tolerance(12) * condition);
}

TYPED_TEST(Projection, IsNearerThanAnyOtherOrthogonalMatrix) {
  using Scalar = TypeParam;
  const Matrix<Scalar> m = this->gaussian(9, 9, 8);
  const Scalar nearest = (project_orthogonal(m) - m).norm();
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_LT(nearest, (test::random_orthogonal<Scalar>(9, seed) - m).norm());
  }
}

TYPED_TEST(Projection, OfSingularMatricesIsStillOrthogonalAndNearest) {
  using Scalar = TypeParam;
  Matrix<Scalar> rank_two = this->gaussian(10, 2, 1) * this->gaussian(2, 10, 2);
  for (const Matrix<Scalar>& m : {rank_two, Matrix<Scalar>(Matrix<Scalar>::Zero(10, 10))}) {
    const Matrix<Scalar> q = project_orthogonal(m);
    EXPECT_LE((q * q.transpose() - Matrix<Scalar>::Identity(10, 10)).norm(), this->tolerance(20));
    // ‖Q − M‖² = n + ‖M‖² − 2·tr(QᵀM), least when tr(QᵀM) is the sum of the singular values.
    const Eigen::JacobiSVD<Matrix<double>> svd(m.template cast<double>());
    EXPECT_NEAR((q.transpose() * m).trace(), svd.singularValues().sum(),
                this->tolerance(20) * (1 + svd.singularValues()[0]));
  }
}

// U·diag(σ)·Vᵀ with singular values falling geometrically from 1 to 1/condition.
template <typename Scalar>
Matrix<Scalar> with_condition(Index rows, Index columns, double condition) {
  const Index k = std::min(rows, columns);
  Vector<double> sigma(k);
  for (Index i = 0; i < k; ++i)
    sigma[i] = std::pow(condition, -static_cast<double>(i) / static_cast<double>(std::max<Index>(k - 1, 1)));
  const Matrix<double> u = test::random_orthogonal<double>(rows, 10).leftCols(k);
  const Matrix<double> v = test::random_orthogonal<double>(columns, 11).leftCols(k);
  return Matrix<double>(u * sigma.asDiagonal() * v.transpose()).cast<Scalar>();
}

// The projection moves by at most 2‖δM‖/(σ_n + σ_{n−1}) (Li, 1995), so that two that are exact for matrices within
// a few n·ε of M differ by that times the condition; QDWH, SVD and everything between.
TYPED_TEST(Projection, AgreesWithTheSingularValueDecomposition) {
  using Scalar = TypeParam;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1},
                                      {2, 2},
                                      {16, 16},
                                      {47, 47},
                                      {49, 49},
                                      {96, 96},
                                      {130, 130},
                                      {130, 60},
                                      {60, 130}}) {
    for (const double condition : {1.0, 3.0, 20.0, 29.0, 35.0, 1e3, 1e5}) {
      const Matrix<Scalar> m = with_condition<Scalar>(rows, columns, condition);
      const Matrix<Scalar> q = project_orthogonal(m);
      const Index k = std::min(rows, columns);
      const Matrix<Scalar> gram =
          rows <= columns ? Matrix<Scalar>(q * q.transpose()) : Matrix<Scalar>(q.transpose() * q);
      EXPECT_LE((gram - Matrix<Scalar>::Identity(k, k)).norm(), this->tolerance(k))
          << rows << "×" << columns << ", condition " << condition;
      EXPECT_LE((q - linalg::polar_by_svd(m)).norm(),
                this->tolerance(std::max(rows, columns)) * static_cast<Scalar>(condition))
          << rows << "×" << columns << ", condition " << condition;
    }
  }
}

// One singular value far below the others (small, tiny or zero), which a few Lanczos steps may miss.
TYPED_TEST(Projection, FindsALoneSmallSingularValue) {
  using Scalar = TypeParam;
  for (const Index n : {20, 100, 300}) {
    for (const double smallest : {1e-2, 1e-4, 0.0}) {
      const Matrix<double> u = test::random_orthogonal<double>(n, 10), v = test::random_orthogonal<double>(n, 11);
      Vector<double> sigma = Vector<double>::LinSpaced(n, 1, 2);
      sigma[n / 2] = smallest;
      const Matrix<Scalar> m = Matrix<double>(u * sigma.asDiagonal() * v.transpose()).template cast<Scalar>();
      const Matrix<Scalar> q = project_orthogonal(m);
      EXPECT_LE((q * q.transpose() - Matrix<Scalar>::Identity(n, n)).norm(), this->tolerance(n))
          << n << " " << smallest;
      EXPECT_NEAR((q.transpose() * m).trace(), sigma.sum(), this->tolerance(n) * 2) << n << " " << smallest;
    }
  }
}

TYPED_TEST(Projection, HasTheSameBitsForAnyNumberOfThreads) {
  using Scalar = TypeParam;
  const Matrix<Scalar> m = with_condition<Scalar>(250, 230, 3);
  const Matrix<Scalar> expected = linalg::polar(m);
  for (const int threads : {1, 2, 3, 5, 8}) {
    engine::Workers workers(threads);
    const Matrix<Scalar> q = linalg::polar<Scalar>(
        m, [&](Index count, const std::function<void(Index)>& task) { workers.for_each(threads, count, task); });
    EXPECT_EQ(q, expected) << threads;
  }
}

TYPED_TEST(Projection, IgnoresTheScale) {
  using Scalar = TypeParam;
  const Matrix<Scalar> m = this->gaussian(6, 6, 9);
  for (const Scalar scale : {std::numeric_limits<Scalar>::min() * 1000, std::numeric_limits<Scalar>::max() / 1000}) {
    EXPECT_LE((project_orthogonal(Matrix<Scalar>(scale * m)) - project_orthogonal(m)).norm(), this->tolerance(100));
  }
}

TYPED_TEST(Projection, RefusesWhatIsNotFinite) {
  using Scalar = TypeParam;
  Matrix<Scalar> m = Matrix<Scalar>::Identity(3, 3);
  m(1, 2) = std::numeric_limits<Scalar>::quiet_NaN();
  EXPECT_THROW((void)project_orthogonal(m), Error);
}

}  // namespace
}  // namespace orthodict
