// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "linalg/cholesky.h"
#include "linalg/lanczos.h"
#include "linalg/lapack.h"
#include "linalg/polar.h"
#include "support.h"

namespace orthodict::linalg {
namespace {

template <typename Scalar>
class Factors : public testing::Test {
 protected:
  static constexpr Scalar kEpsilon = std::numeric_limits<Scalar>::epsilon();
  // Q·diag(values)·Qᵀ.
  static Matrix<Scalar> symmetric(const Vector<double>& values) {
    const Matrix<double> q = test::random_orthogonal<double>(values.size(), 1);
    return Matrix<double>(q * values.asDiagonal() * q.transpose()).cast<Scalar>();
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Factors, Scalars);

TYPED_TEST(Factors, GramIsTheLowerTriangleOfXtX) {
  using Scalar = TypeParam;
  for (const Index n : {1, 50, 191, 192, 193, 400}) {
    const Matrix<Scalar> x = test::random_gaussian(n + 7, n, 2).cast<Scalar>();
    Matrix<Scalar> w(n, n);
    gram(x, for_each_in_turn, &w);
    const Matrix<Scalar> difference = (w - x.transpose() * x).template triangularView<Eigen::Lower>();
    EXPECT_LE(difference.norm(), static_cast<Scalar>(n + 7) * this->kEpsilon * x.squaredNorm());
  }
}

TYPED_TEST(Factors, CholeskySolvesFromTheRight) {
  using Scalar = TypeParam;
  for (const Index n : {1, 2, 47, 48, 49, 96, 97, 193}) {
    const Matrix<Scalar> w = this->symmetric(Vector<double>::LinSpaced(n, 1, 20));
    const Cholesky<Scalar> factor(w);
    ASSERT_TRUE(factor.is_positive_definite());
    for (const Index rows : {1, 30, 300}) {
      const Matrix<Scalar> expected = test::random_gaussian(rows, n, 3).cast<Scalar>();
      Matrix<Scalar> t = expected * w;
      factor.solve_right(&t);
      EXPECT_LE((t - expected).norm(), 10 * static_cast<Scalar>(n) * 20 * this->kEpsilon * expected.norm()) << n;
    }
  }
}

TYPED_TEST(Factors, CholeskyTellsWhatIsNotPositiveDefinite) {
  for (const Index n : {1, 48, 49, 130}) {
    Vector<double> values = Vector<double>::LinSpaced(n, 1, 2);
    values[n - 1] = -1;
    EXPECT_FALSE(Cholesky<TypeParam>(this->symmetric(values)).is_positive_definite()) << n;
  }
}

TYPED_TEST(Factors, LanczosFindsTheEndsOfASpectrum) {
  for (const Index n : {1, 2, 5, 16, 100, 400}) {
    for (const double condition : {1.0, 9.0, 100.0}) {
      Vector<double> values(n);
      for (Index i = 0; i < n; ++i) {
        values[i] = std::pow(condition, static_cast<double>(i) / static_cast<double>(std::max<Index>(n - 1, 1)));
      }
      const Spectrum got = estimate_spectrum(this->symmetric(values));
      EXPECT_GE(got.smallest, values[0] * 0.98) << n << ", " << condition;
      EXPECT_LE(got.smallest, values[0] * (condition <= 9 ? 1.3 : 3)) << n << ", " << condition;
      EXPECT_LE(got.largest, values[n - 1] * 1.02) << n << ", " << condition;
      EXPECT_GE(got.largest, values[n - 1] * 0.8) << n << ", " << condition;
    }
    const Spectrum wide = estimate_spectrum(this->symmetric(Vector<double>::LinSpaced(n, 0, 1).array().pow(20)));
    if (n > 1) {
      EXPECT_LE(wide.smallest, 1e-3 * wide.largest) << n;
    }
  }
}

// QDWH is used for well-conditioned matrices only.
TYPED_TEST(Factors, QdwhTakesWhatItIsMeantFor) {
  for (const Index n : {1, 2, 30, 200}) {
    for (const double condition : {1.0, 3.0, 20.0, 1e5}) {
      const Vector<double> logs = Vector<double>::LinSpaced(n, 0, -std::log(condition));
      const auto factor = qdwh(this->symmetric(logs.array().exp()));
      EXPECT_EQ(factor.has_value(), condition <= 20 || n == 1) << n << ", " << condition;
    }
  }
}

TEST(Qr, HasOrthonormalColumnsAndATriangle) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {7, 7}, {300, 100}, {50, 3}}) {
    Matrix<double> m = test::random_gaussian(rows, columns, 3);
    if (columns > 2) m.col(2) = m.col(0);  // rank-deficient
    const Qr qr = linalg::qr(m);
    EXPECT_LE((qr.q * qr.r - m).norm(), 1e-14 * m.norm() * std::sqrt(static_cast<double>(columns)));
    EXPECT_LE((qr.q.transpose() * qr.q - test::identity(columns)).norm(), 1e-14 * static_cast<double>(columns));
    EXPECT_EQ(qr.r, Matrix<double>(qr.r.triangularView<Eigen::Upper>()));
  }
}

TEST(Solve, InvertsAndSaysWhenItCannot) {
  const Matrix<double> m = test::random_gaussian(20, 20, 1), x = test::random_gaussian(20, 3, 2);
  const auto solved = solve(m, m * x);
  ASSERT_TRUE(solved);
  EXPECT_LE((*solved - x).norm(), 1e-10 * x.norm());
  EXPECT_FALSE(solve(Matrix<double>::Zero(4, 4), Matrix<double>::Identity(4, 4)));
}

}  // namespace
}  // namespace orthodict::linalg
