// SPDX-License-Identifier: Apache-2.0
#include "baselines/pca.h"

#include <gtest/gtest.h>

#include "baselines/common.h"
#include "support.h"

namespace orthodict {
namespace {

using baselines::fit_pca;
using baselines::model_of;

FitResult pca(const Matrix<double>& y, const Options& options = {}) { return fit_pca(*samples_in_columns(y), options); }

// Samples with variances 9, 4, 1 … along random orthonormal directions, and a mean.
struct Stretched {
  Matrix<double> directions = test::random_orthogonal<double>(5, 1);
  Vector<double> sizes = (Vector<double>(5) << 9, 6, 3, 2, 1).finished();
  Vector<double> mean = Vector<double>::LinSpaced(5, -2, 7);
  Matrix<double> y = (directions * sizes.asDiagonal() * test::random_gaussian(5, 4000, 2)).colwise() + mean;
};

TEST(PcaTest, GivesTheEigenvectorsOfTheCovariance) {
  const Stretched data;
  const FitResult result = pca(data.y);
  const Vector<double> mean = data.y.rowwise().mean();
  const Matrix<double> centred = data.y.colwise() - mean;
  const Matrix<double> covariance = centred * centred.transpose() / 4000;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(std::abs(result.model.dictionary.row(i).dot(eigen.eigenvectors().col(4 - i))), 1, 1e-12);
  }
  EXPECT_EQ(result.model.analysis, result.model.dictionary);
  EXPECT_LE((result.model.mean - mean).norm(), 1e-12);
  EXPECT_NEAR(result.summary.objective, covariance.trace(), 1e-10);
  EXPECT_EQ(result.summary.method, "pca");
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_EQ(result.summary.dictionary, Dictionary::kOrthogonal);
  EXPECT_TRUE(result.summary.center);
}

TEST(PcaTest, KeepsTheLeadingAtoms) {
  const Stretched data;
  Options options;
  const FitResult all = pca(data.y);
  options.atoms = 2;
  const FitResult result = pca(data.y, options);
  EXPECT_EQ(result.model.atoms(), 2);
  EXPECT_LE((result.model.dictionary - all.model.dictionary.topRows(2)).cwiseAbs().maxCoeff(), 1e-12);
  options.center = false;
  EXPECT_TRUE(pca(data.y, options).model.mean.isZero(0));
  options.atoms = 6;
  EXPECT_TRUE(test::error_of([&] { (void)pca(data.y, options); }).second.starts_with("atoms = 6"));
}

TEST(PcaTest, OddSamplesGiveFiniteResults) {
  Options plain;
  plain.center = false;
  for (const Matrix<double>& y :
       {Matrix<double>(test::random_gaussian(8, 3, 1)), Matrix<double>(test::identity(8)),
        Matrix<double>(Matrix<double>::Ones(8, 20)), Matrix<double>(1e150 * test::random_gaussian(8, 20, 1))}) {
    const FitResult result = pca(y, plain);
    const Matrix<double> gram = result.model.dictionary * result.model.analysis.transpose();
    EXPECT_LE((gram - test::identity(8)).cwiseAbs().maxCoeff(), 1e-13);
  }
  EXPECT_EQ(test::error_of([] { (void)pca(Matrix<double>::Ones(4, 10)); }).first, Fault::kData);
}

// The codes of a model are the least-squares solution.
void expect_least_squares(const Model& model, const Matrix<double>& y) {
  EXPECT_LE((model.dictionary.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-14);
  ASSERT_TRUE(model.analysis.allFinite());
  const Matrix<double> residual = y - model.dictionary.transpose() * (model.analysis * y);
  EXPECT_LE((model.dictionary * residual).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(PcaTest, ModelOfFewerAtomsThanDimensionsCodesByLeastSquares) {
  const Matrix<double> y = test::random_gaussian(6, 40, 1);
  const Matrix<double> second_moment = y * y.transpose() / 40;
  const Matrix<double> scaled =
      test::random_gaussian(6, 3, 2) * (Vector<double>(3) << 1e-30, 1, 1e30).finished().asDiagonal();
  const Model model = model_of(scaled, Vector<double>::Zero(6), second_moment);
  expect_least_squares(model, y);
  const Matrix<double> product = model.analysis * model.dictionary.transpose();
  EXPECT_LE((product - test::identity(3)).cwiseAbs().maxCoeff(), 1e-13);
  const Vector<double> energies = (model.analysis * second_moment * model.analysis.transpose()).diagonal();
  EXPECT_TRUE(energies[0] >= energies[1] && energies[1] >= energies[2]);
}

TEST(PcaTest, ModelOfDependentAtomsHasTheShortestCodes) {
  const Matrix<double> y = test::random_gaussian(6, 40, 1);
  const Matrix<double> second_moment = y * y.transpose() / 40;
  Matrix<double> dictionary = test::random_gaussian(6, 6, 2);
  dictionary.col(4) = -2 * dictionary.col(1);
  dictionary.col(5) = dictionary.col(0) + dictionary.col(2);
  const Model model = model_of(dictionary, Vector<double>::Zero(6), second_moment);
  expect_least_squares(model, y);
  // Orthogonal to every combination of the atoms that is zero.
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(model.dictionary.transpose());
  ASSERT_EQ(lu.rank(), 4);
  EXPECT_LE((Matrix<double>(lu.kernel()).transpose() * model.analysis).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(PcaTest, ModelOfAtomsThatAreZeroReplacesThem) {
  const Matrix<double> y = test::random_gaussian(6, 40, 1);
  const Matrix<double> second_moment = y * y.transpose() / 40;
  Matrix<double> dictionary = test::random_gaussian(6, 4, 2);
  dictionary.col(1).setZero();
  dictionary.col(2).setZero();
  const Model model = model_of(dictionary, Vector<double>::Zero(6), second_moment);
  expect_least_squares(model, y);
  const Matrix<double> product = model.analysis * model.dictionary.transpose();
  EXPECT_LE((product - test::identity(4)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(PcaTest, CopiesSamplesLessTheirMean) {
  const Matrix<double> y = test::random_gaussian(3, 2500, 1);
  const Matrix<float> single = y.cast<float>();
  const Vector<double> mean = Vector<double>::LinSpaced(3, 1, 2);
  EXPECT_EQ(baselines::copy_samples(*samples_in_columns(y), mean), y.colwise() - mean);
  const auto stored = view_samples(single.data(), 3, 2500, 3);
  EXPECT_EQ(baselines::copy_samples(*stored, mean), single.cast<double>().colwise() - mean);
}

}  // namespace
}  // namespace orthodict
