// SPDX-License-Identifier: Apache-2.0
#include "solver/tangles.h"

#include "support.h"

namespace orthodict::solver {
namespace {

TEST(Tangles, AreFoundAmongSparseCoefficientsOnly) {
  Matrix<double> z = test::coefficients(12, 600, 0.2, 0.05);
  EXPECT_TRUE(tangled_pairs(z).empty());
  const Matrix<double> third = z.row(3), eighth = z.row(8);
  z.row(3) = (third + eighth) / std::sqrt(2.0);
  z.row(8) = (third - eighth) / std::sqrt(2.0);
  EXPECT_EQ(tangled_pairs(z), (std::vector<Tangle>{{3, 8}}));
  EXPECT_TRUE(tangled_pairs(Matrix<double>::Ones(1, 5)).empty());
}

TEST(Tangles, SupportsInsideOneAnotherAreFound) {
  Matrix<double> z = test::coefficients(8, 1000, 0.3, 0);
  EXPECT_EQ(nested_supports(z, 1e-4).rows, std::vector<bool>(8, false));
  EXPECT_FALSE(nested_supports(z, 1e-4).undecided);
  z.row(2) += 0.3 * z.row(5);
  std::vector<bool> expected(8, false);
  expected[2] = expected[5] = true;
  EXPECT_EQ(nested_supports(z, 1e-4).rows, expected);
  // Five samples in which both differ from zero may be chance.
  z.row(5).tail(985).setZero();
  EXPECT_EQ(nested_supports(z, 1e-4).rows, std::vector<bool>(8, false));
  EXPECT_TRUE(nested_supports(z, 1e-4).undecided);
}

}  // namespace
}  // namespace orthodict::solver
