// SPDX-License-Identifier: Apache-2.0
#include "solver/canonical.h"

#include <gtest/gtest.h>

#include "support.h"

namespace orthodict::solver {
namespace {

Model model_of(const Matrix<double>& a) { return {a, a, Vector<double>::Zero(a.cols()), {}}; }

TEST(Canonical, OrderAndSignsDoNotDependOnHowTheAtomsWereFound) {
  const Index n = 9;
  const Matrix<double> a = test::random_orthogonal<double>(n, 1);
  const Matrix<double> g = test::random_gaussian(n, 50, 2);
  const Matrix<double> second_moment = g * g.transpose() / 50;
  Model one = model_of(a);
  Matrix<double> shuffled = a.colwise().reverse();
  shuffled.row(2) *= -1;
  shuffled.row(7) *= -3;  // the scale of a row of A is irrelevant
  Model other = model_of(shuffled);
  other.analysis.row(7) /= 9;
  make_canonical(second_moment, &one);
  make_canonical(second_moment, &other);
  EXPECT_LE((one.dictionary - other.dictionary).norm(), 1e-14);
  EXPECT_LE((one.analysis - other.analysis).norm(), 1e-14);

  const Vector<double> energies = (one.analysis * second_moment * one.analysis.transpose()).diagonal();
  for (Index i = 0; i < n; ++i) {
    Index largest = 0;
    one.dictionary.row(i).cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(one.dictionary(i, largest), 0);
    if (i > 0) {
      EXPECT_LE(energies[i], energies[i - 1]);
    }
  }
}

TEST(Canonical, AtomsOfEqualEnergyAreOrderedByTheirLargestEntry) {
  const Matrix<double> permutation = test::identity(5).colwise().reverse();
  Matrix<double> second_moment = test::identity(5);
  second_moment(1, 1) += 1e-15;
  Model model = model_of(-permutation);
  make_canonical(second_moment, &model);
  EXPECT_EQ(Matrix<double>(model.dictionary), test::identity(5));
}

TEST(Canonical, AnAtomOfEqualEntriesGetsAPositiveFirstOne) {
  Matrix<double> hadamard(2, 2);
  hadamard << -1, 1 - 1e-15, -1 + 1e-15, -1;
  Model model = model_of(hadamard / std::sqrt(2.0));
  make_canonical(test::identity(2), &model);
  EXPECT_GT(model.dictionary.col(0).minCoeff(), 0);
}

}  // namespace
}  // namespace orthodict::solver
