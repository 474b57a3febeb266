// SPDX-License-Identifier: Apache-2.0
#include "solver/start.h"

#include <limits>

#include "support.h"

namespace orthodict::solver {
namespace {

Coordinates coordinates_of(const Matrix<double>& y, const Preprocessing& how) {
  return {{Vector<double>::Zero(y.rows()), y * y.transpose() / static_cast<double>(y.cols())}, "y", how};
}

const Matrix<double> kSamples = test::sparse_samples(4, 100, 1, 3);

TEST(Start, IsTheIdentityOrRandomRowsThatAreOrthonormal) {
  const Coordinates coordinates = coordinates_of(kSamples, {.atoms = Index{3}});
  Options options;
  options.init = Initialization::kIdentity;
  EXPECT_EQ(start_of(options, coordinates, 0), Matrix<double>(Matrix<double>::Identity(3, 4)));
  options.init = Initialization::kRandom;
  const Matrix<double> first = start_of(options, coordinates, 0);
  EXPECT_LE((first * first.transpose() - test::identity(3)).norm(), 1e-14);
  EXPECT_EQ(first, test::random_orthogonal<double>(4, 0).topRows(3));
  EXPECT_EQ(start_of(options, coordinates, 0), first);
  options.seed = 1;
  EXPECT_GT((start_of(options, coordinates, 0) - first).norm(), 0.1);
}

TEST(Start, IsAnotherOneAtEachAttempt) {
  const Coordinates coordinates = coordinates_of(kSamples, {});
  for (const Initialization init : {Initialization::kIdentity, Initialization::kRandom, Initialization::kGiven}) {
    Options options;
    options.init = init;
    options.initial_dictionary = RowMatrix<double>::Identity(4, 4);
    const Matrix<double> first = start_of(options, coordinates, 0), second = start_of(options, coordinates, 1);
    EXPECT_GT((second - first).norm(), 0.1);
    EXPECT_GT((start_of(options, coordinates, 2) - second).norm(), 0.1);
    EXPECT_LE((second * second.transpose() - test::identity(4)).norm(), 1e-14);
  }
}

TEST(Start, ThatIsGivenIsInTheCoordinatesOfA) {
  const Coordinates coordinates = coordinates_of(kSamples, {.whiten = Whitening::kZca});
  Options options;
  options.init = Initialization::kGiven;
  options.initial_dictionary = test::random_gaussian(4, 4, 5);
  EXPECT_EQ(start_of(options, coordinates, 0), coordinates.from_dictionary(options.initial_dictionary));
  options.initial_dictionary = test::random_gaussian(2, 4, 5);
  EXPECT_EQ(start_of(options, coordinates_of(kSamples, {.atoms = 2, .square = true}), 0).rows(), 2);

  const auto refusal = [&](const RowMatrix<double>& given) {
    options.initial_dictionary = given;
    return test::error_of([&] { (void)start_of(options, coordinates, 0); }).second;
  };
  EXPECT_NE(refusal(RowMatrix<double>::Identity(2, 4)).find("2×4"), std::string::npos);
  EXPECT_NE(refusal(RowMatrix<double>::Identity(4, 5)).find("atoms × dimension, 4×4"), std::string::npos);
  EXPECT_NE(refusal(RowMatrix<double>::Zero(4, 4)).find("zero"), std::string::npos);
  EXPECT_NE(refusal(RowMatrix<double>::Constant(4, 4, std::nan(""))).find("NaN"), std::string::npos);
}

// The range of rank-deficient samples has fewer dimensions than there are atoms.
TEST(Start, OfRankDeficientSamplesIsMadeInTheirOwnCoordinates) {
  Matrix<double> y = kSamples;
  y.row(3) = y.row(0);
  const Coordinates coordinates = coordinates_of(y, {});
  ASSERT_TRUE(coordinates.is_restricted());
  Options options;
  options.init = Initialization::kIdentity;
  EXPECT_EQ(start_of(options, coordinates, 0), coordinates.from_dictionary(RowMatrix<double>::Identity(4, 4)));
  options.init = Initialization::kRandom;
  const Matrix<double> random = start_of(options, coordinates, 0);
  EXPECT_EQ(random, coordinates.from_dictionary(test::random_orthogonal<double>(4, 0)));
  EXPECT_LE((random.transpose() * random - test::identity(3)).norm(), 1e-14);
}

}  // namespace
}  // namespace orthodict::solver
