// SPDX-License-Identifier: Apache-2.0
// Coordinates are folded into the step. The tests apply them to the samples instead and compare.
#include "solver/coordinates.h"

#include "support.h"

namespace orthodict::solver {
namespace {

constexpr Index kFeatures = 5, kSamples = 60;
constexpr double kTolerance = 1e-11;  // a dozen products of such matrices, with conditions below 100

// Sources that are mixed by a matrix of condition 4, with a mean.
Matrix<double> samples(Index rank = kFeatures) {
  Matrix<double> mix = test::random_orthogonal<double>(kFeatures, 1).leftCols(rank);
  mix *= Vector<double>::LinSpaced(rank, 1, 4).asDiagonal();
  return (mix * test::random_gaussian(rank, kSamples, 2)).colwise() + Vector<double>::LinSpaced(kFeatures, -1, 2);
}

engine::Moments moments_of(const Matrix<double>& y, bool centred) {
  const Vector<double> mean = y.rowwise().mean();
  const Matrix<double> about = centred ? Matrix<double>(y.colwise() - mean) : y;
  return {mean, about * about.transpose() / static_cast<double>(y.cols())};
}

struct Case {
  const char* name;
  Preprocessing how;
};
const std::vector<Case> kCases = {
    {"as they are", {}},
    {"centred", {.center = true}},
    {"few atoms", {.center = true, .atoms = 3}},
    {"zca", {.whiten = Whitening::kZca, .center = true}},
    {"zca, equilibrated", {.whiten = Whitening::kZca, .center = true, .equilibrate = true}},
    {"zca about zero, with theta", {.whiten = Whitening::kZca, .theta = 0.3}},
    {"pca", {.whiten = Whitening::kPca, .center = true, .atoms = 3}},
    {"few of zca", {.whiten = Whitening::kZca, .center = true, .equilibrate = true, .atoms = 3}},
};

TEST(Coordinates, FoldedIntoAPassAreThoseOfTheSamples) {
  const Matrix<double> y = samples();
  for (const auto& [name, how] : kCases) {
    SCOPED_TRACE(name);
    const engine::Moments moments = moments_of(y, how.center);
    const Coordinates c(moments, "y", how);
    const Matrix<double> x = c.apply(y);
    ASSERT_EQ(x.rows(), c.dimension());
    const Matrix<double> a = test::random_gaussian(c.atoms(), c.dimension(), 3);
    const Matrix<double> h = test::random_gaussian(c.atoms(), kSamples, 4);  // stands for stretched coefficients

    const Matrix<double> b = c.matcher(a);
    EXPECT_LE(((b * y).colwise() - c.offset(b) - a * x).norm(), kTolerance);
    EXPECT_LE((c.pull_back(h * y.transpose(), h.rowwise().sum()) - c.rms() * h * x.transpose()).norm(), kTolerance);
    const Matrix<double> covariance = x * x.transpose() / kSamples;
    EXPECT_LE((c.unit_covariance() - covariance).norm(), kTolerance);
    EXPECT_LE((c.times_unit_covariance(a) - a * covariance).norm(), kTolerance);
    const RowMatrix<double> dictionary = test::random_gaussian(c.atoms(), kFeatures, 5);
    const Vector<double> mean = how.center ? moments.mean : Vector<double>(Vector<double>::Zero(kFeatures));
    const Matrix<double> atoms = c.apply(dictionary.transpose().colwise() + mean);
    EXPECT_LE((c.from_dictionary(dictionary).transpose() - c.rms() * atoms).norm(), kTolerance);
    EXPECT_LE((c.from_dictionary(c.atoms_of(a.transpose()).transpose()) - a).norm(), kTolerance);
    const Vector<double> of_mean = c.rms() * c.apply(2 * mean);  // W·m
    EXPECT_NEAR(c.mean_to_rms(), of_mean.norm() / std::sqrt(static_cast<double>(c.dimension())) / c.rms(), kTolerance);
  }
}

TEST(Coordinates, WhitenToTheIdentityAndOtherwiseKeepTheScale) {
  const Matrix<double> y = samples();
  for (const auto& [name, how] : kCases) {
    SCOPED_TRACE(name);
    const Coordinates c(moments_of(y, how.center), "y", how);
    const Matrix<double> x = c.apply(y);
    const bool whitened = how.whiten != Whitening::kNone;
    EXPECT_EQ(c.is_whitened(), whitened);
    EXPECT_EQ(c.features(), kFeatures);
    EXPECT_EQ(c.rank(), kFeatures);
    EXPECT_FALSE(c.is_restricted());
    EXPECT_EQ(c.atoms(), how.atoms.value_or(kFeatures).count());
    // Unit root mean square, and in each direction if whitened.
    EXPECT_NEAR(x.squaredNorm() / static_cast<double>(x.size()), 1, kTolerance);
    EXPECT_EQ((c.unit_covariance() - test::identity(c.dimension())).norm() < kTolerance, whitened);
    if (whitened) {
      EXPECT_NEAR(c.rms() * c.rms(), how.theta, kTolerance);
    }
  }
}

TEST(Coordinates, UnitsOfFeaturesDoNotMatterWhenEquilibrated) {
  const Matrix<double> y = samples();
  const Preprocessing how = {.whiten = Whitening::kZca, .center = true, .equilibrate = true};
  const Vector<double> units{{1e-6, 1, 1e6, 3, 1e-3}};
  const Matrix<double> scaled = units.asDiagonal() * y;
  const Matrix<double> x = Coordinates(moments_of(y, true), "y", how).apply(y);
  EXPECT_LE((Coordinates(moments_of(scaled, true), "y", how).apply(scaled) - x).norm(), 1e-9);
}

// The variances of the samples in an orthonormal basis are LinSpaced(1, 4)², up to sampling error.
TEST(Coordinates, FewAreThoseOfTheLeadingPrincipalComponentsInTheDatasOwnUnits) {
  const Vector<double> units{{1, 30, 1, 1, 0.1}};
  const Matrix<double> y = units.asDiagonal() * samples();
  const engine::Moments moments = moments_of(y, true);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(moments.second_moment);
  for (const Whitening whiten : {Whitening::kZca, Whitening::kPca}) {
    const Coordinates c(moments, "y", {.whiten = whiten, .center = true, .equilibrate = true, .atoms = 2});
    EXPECT_EQ(c.dimension(), 2);
    EXPECT_EQ(c.rank(), kFeatures);
    const Model model = c.model(test::random_orthogonal<double>(2, 1));
    const Matrix<double> centred = y.colwise() - model.mean;
    const Matrix<double> left = centred - model.dictionary.transpose() * (model.analysis * centred);
    const double lost = left.squaredNorm() / kSamples;
    EXPECT_NEAR(lost / eigen.eigenvalues().head(3).sum(), 1, 1e-10);
    ASSERT_TRUE(c.cut().has_value());
    EXPECT_NEAR(c.cut()->kept_variance, eigen.eigenvalues()[3], kTolerance * eigen.eigenvalues()[4]);
    EXPECT_NEAR(c.cut()->dropped_variance, eigen.eigenvalues()[2], kTolerance * eigen.eigenvalues()[4]);
    EXPECT_NEAR(std::abs(c.cut()->kept.dot(eigen.eigenvectors().col(3))), 1, kTolerance);
    EXPECT_NEAR(std::abs(c.cut()->dropped.dot(eigen.eigenvectors().col(2))), 1, kTolerance);
  }
  EXPECT_FALSE(Coordinates(moments, "y", {.whiten = Whitening::kPca, .center = true}).cut().has_value());
  EXPECT_FALSE(Coordinates(moments, "y", {.center = true, .atoms = 2}).cut().has_value());
}

TEST(Coordinates, AllOfThemMayBeAskedForInAnyUnits) {
  const Matrix<double> y = samples();
  const Vector<double> units{{1e-9, 1, 1e9, 3, 1e-3}};
  Preprocessing how = {.whiten = Whitening::kZca, .center = true, .equilibrate = true};
  const Matrix<double> x = Coordinates(moments_of(y, true), "y", how).apply(y);
  how.atoms = kFeatures;
  const Matrix<double> scaled = units.asDiagonal() * y;
  EXPECT_LE((Coordinates(moments_of(scaled, true), "y", how).apply(scaled) - x).norm(), 1e-9);
}

TEST(Coordinates, AShareIsTheLeastNumberThatHoldsIt) {
  const Vector<double> falling{{5, 3, 1, 1, 0}};
  const std::vector<std::pair<double, Index>> cases = {{0.01, 1}, {0.5, 1}, {0.51, 2}, {0.8, 2}, {0.85, 3}, {0.95, 4}};
  for (const auto& [share, number] : cases) EXPECT_EQ(number_for_share(share, falling), number) << share;
  EXPECT_EQ(number_for_share(0.5, Vector<double>::Zero(3)), 1);

  const engine::Moments moments = moments_of(samples(), true);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(moments.second_moment);
  const Vector<double> variances = eigen.eigenvalues().reverse();
  for (const double share : {0.3, 0.7, 0.9, 0.999999}) {
    const Index number = number_for_share(share, variances);
    EXPECT_GE(variances.head(number).sum(), share * variances.sum());
    EXPECT_LT(variances.head(number - 1).sum(), share * variances.sum());
    Preprocessing how = {.whiten = Whitening::kPca, .center = true, .equilibrate = true, .atoms = share};
    EXPECT_EQ(Coordinates(moments, "y", how).atoms(), number) << share;
    // Without whitening all atoms are learned, and the smallest sufficient number is kept. Here atoms are the
    // components.
    how = {.center = true, .atoms = share};
    const Coordinates all(moments, "y", how);
    EXPECT_EQ(all.atoms(), kFeatures);
    EXPECT_EQ(all.given_atoms(), kFeatures);
    EXPECT_EQ(all.model(eigen.eigenvectors().transpose()).atoms(), number) << share;
  }
}

TEST(Coordinates, OfASquareMatrixLeaveTheAtomsOfMostEnergy) {
  const engine::Moments moments = moments_of(samples(), true);
  const Coordinates all(moments, "y", {.center = true, .square = true});
  const Coordinates few(moments, "y", {.center = true, .atoms = 2, .square = true});
  EXPECT_EQ(few.atoms(), kFeatures);
  EXPECT_EQ(few.given_atoms(), 2);
  EXPECT_EQ(all.given_atoms(), kFeatures);
  const Matrix<double> b = test::random_orthogonal<double>(kFeatures, 3);
  const Vector<double> none = Vector<double>::Zero(kFeatures);
  const Vector<double> confidence = Vector<double>::LinSpaced(kFeatures, 0.1, 0.9);
  const Model two = few.model(b, b.transpose(), none, confidence), five = all.model(b, b.transpose(), none, confidence);
  EXPECT_EQ(two.dictionary, five.dictionary.topRows(2));
  EXPECT_EQ(two.analysis, five.analysis.topRows(2));
  EXPECT_EQ(two.confidence, five.confidence.head(2));
  EXPECT_EQ(few.model(b).dictionary, all.model(b).dictionary.topRows(2));
}

// The codes of a model are those of A, up to lengths, signs and order of its rows.
void expect_codes(const Model& model, const Matrix<double>& y, const Matrix<double>& codes) {
  Matrix<double> got = model.analysis * (y.colwise() - model.mean);
  got.rowwise().normalize();
  Matrix<double> expected = codes;
  expected.rowwise().normalize();
  const Matrix<double> together = got * expected.transpose();
  EXPECT_NEAR(together.cwiseAbs().rowwise().maxCoeff().minCoeff(), 1, kTolerance);
  for (Index i = 0; i < model.atoms(); ++i) EXPECT_NEAR(model.dictionary.row(i).norm(), 1, kTolerance);
}

TEST(Coordinates, ModelsHaveTheCodesOfA) {
  const Matrix<double> y = samples();
  for (const auto& [name, how] : kCases) {
    SCOPED_TRACE(name);
    const Coordinates c(moments_of(y, how.center), "y", how);
    const Matrix<double> a = test::random_orthogonal<double>(c.dimension(), 6).topRows(c.atoms());
    const Model model = c.model(a);
    expect_codes(model, y, a * c.apply(y));
    const Matrix<double> product = model.analysis * model.dictionary.transpose();
    EXPECT_LE((product - test::identity(c.atoms())).norm(), kTolerance);
    const Matrix<double> codes = model.analysis * (y.colwise() - model.mean);
    EXPECT_NEAR(c.code_rms(model), codes.norm() / std::sqrt(static_cast<double>(codes.size())), kTolerance);
  }
}

TEST(Coordinates, ModelsOfAnyMatrixHaveItsInverseShiftAndConfidence) {
  const Matrix<double> y = samples();
  const Coordinates c(moments_of(y, true), "y", {.whiten = Whitening::kZca, .center = true, .equilibrate = true});
  const Matrix<double> b = test::identity(kFeatures) + 0.2 * test::random_gaussian(kFeatures, kFeatures, 7);
  const Vector<double> shift = Vector<double>::LinSpaced(kFeatures, -0.1, 0.3);
  const Vector<double> confidence = Vector<double>::LinSpaced(kFeatures, 0, 1);
  const Model model = c.model(b, b.inverse(), shift, confidence);
  EXPECT_LE((c.apply(model.mean) - shift).norm(), kTolerance);
  const Matrix<double> codes = b * (c.apply(y).colwise() - shift);
  expect_codes(model, y, codes);
  EXPECT_LE((model.analysis * model.dictionary.transpose() - test::identity(kFeatures)).norm(), kTolerance);
  const Matrix<double> got = model.analysis * (y.colwise() - model.mean);
  for (Index i = 0; i < kFeatures; ++i) {  // confidence is reordered with the atoms
    Index from = 0;
    Vector<double>(codes.rowwise().normalized() * got.row(i).transpose()).cwiseAbs().maxCoeff(&from);
    EXPECT_EQ(model.confidence[i], confidence[from]);
  }
}

TEST(Coordinates, OfRankDeficientSamplesAreThoseOfTheirRange) {
  const Matrix<double> y = samples(3);
  const Coordinates c(moments_of(y, true), "y", {.center = true, .square = true});
  EXPECT_TRUE(c.is_restricted());
  EXPECT_EQ(c.rank(), 3);
  EXPECT_EQ(c.dimension(), 3);
  EXPECT_EQ(c.atoms(), kFeatures);
  const Matrix<double> x = c.apply(y);
  EXPECT_NEAR(x.squaredNorm() / static_cast<double>(x.size()), 1, kTolerance);
  const Matrix<double> b = test::random_orthogonal<double>(3, 8);
  const Model model = c.model(b, b.transpose(), Vector<double>::Zero(3), Vector<double>::Ones(3));
  EXPECT_LE((model.dictionary * model.dictionary.transpose() - test::identity(kFeatures)).norm(), kTolerance);
  EXPECT_EQ(model.confidence.head(3), Vector<double>::Ones(3));
  EXPECT_EQ(model.confidence.tail(2), Vector<double>::Zero(2));  // atoms without energy come last
  const Matrix<double> columns = test::random_orthogonal<double>(kFeatures, 9).leftCols(3);
  const Model completed = c.model(columns);
  EXPECT_LE((completed.dictionary * completed.dictionary.transpose() - test::identity(kFeatures)).norm(), kTolerance);
}

TEST(Coordinates, RefuseMoreAtomsThanRankAndSamplesThatAreEqual) {
  const Matrix<double> y = samples(3);
  const engine::Moments moments = moments_of(y, true);
  const auto [fault, message] =
      test::error_of([&] { Coordinates(moments, "the.npy", {.center = true, .atoms = Index{4}}); });
  EXPECT_EQ(fault, Fault::kOption);
  EXPECT_NE(message.find("atoms"), std::string::npos);
  EXPECT_NE(message.find("1 … 3, the rank of the.npy"), std::string::npos) << message;
  EXPECT_NO_THROW(Coordinates(moments, "y", {.center = true, .atoms = 3}));
  for (const Whitening whiten : {Whitening::kNone, Whitening::kZca, Whitening::kPca}) {
    EXPECT_THROW(Coordinates(moments, "y", {.whiten = whiten, .center = true, .atoms = 4, .square = true}), Error);
  }
  const Matrix<double> equal = Matrix<double>::Zero(kFeatures, kSamples);
  EXPECT_NE(test::error_of([&] { Coordinates(moments_of(equal, true), "y", {.center = true}); }).second.find("equal"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { Coordinates(moments_of(equal, false), "y", {}); }).second.find("zero"),
            std::string::npos);
}

// Strong sources in noise of unit variance, as many features as a fifth of the samples: the mean over seeds of cos²
// between principal components of samples and of the population.
TEST(CertaintyOfComponents, IsTheCosineToExpect) {
  constexpr Index kWide = 100, kFew = 500, kKept = 3;
  double expected = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Matrix<double> basis = test::random_orthogonal<double>(kWide, seed).leftCols(kKept);
    const Matrix<double> sources =
        Vector<double>{{2, 1.5, 1.2}}.asDiagonal() * test::random_gaussian(kKept, kFew, seed);
    const Matrix<double> y = basis * sources + test::random_gaussian(kWide, kFew, seed + 100);
    const engine::Moments moments{Vector<double>::Zero(kWide), y * y.transpose() / kFew};
    const Coordinates coordinates(moments, "y", {.whiten = Whitening::kPca, .atoms = Atoms(kKept)});
    const Matrix<double> identity = test::identity(kKept);
    expected += coordinates.certainty_of_components(identity, kFew, false).mean() / 5;
    const Matrix<double> components = coordinates.atoms_of(identity).colwise().normalized();
    found += (basis.transpose() * components).colwise().squaredNorm().mean() / 5;
  }
  EXPECT_LT(found, 0.9);  // far enough from 1 for a meaningful test
  EXPECT_NEAR(expected, found, 0.04);
  EXPECT_LT(expected, found + 0.01);
}

TEST(CertaintyOfComponents, IsOneWhereAllAreKept) {
  const Matrix<double> y = test::random_gaussian(4, 50, 1);
  const engine::Moments moments{Vector<double>::Zero(4), y * y.transpose() / 50};
  const Coordinates coordinates(moments, "y", {.whiten = Whitening::kZca});
  EXPECT_EQ(coordinates.certainty_of_components(test::identity(4), 50, false), Vector<double>::Ones(4));
}

// Two components of equal variance, of which one is kept: no number of samples tells them apart.
TEST(CertaintyOfComponents, IsNoneWhereTheCutIsArbitrary) {
  constexpr Index kMany = 5000;
  const Matrix<double> y = Vector<double>{{3, 1, 1, 0.1}}.asDiagonal() * test::random_gaussian(4, kMany, 1);
  const engine::Moments moments{Vector<double>::Zero(4), y * y.transpose() / kMany};
  const Coordinates coordinates(moments, "y", {.whiten = Whitening::kPca, .atoms = Atoms(2)});
  const Vector<double> certainty = coordinates.certainty_of_components(test::identity(2), kMany, true);
  EXPECT_GT(certainty.maxCoeff(), 0.99);
  EXPECT_EQ(certainty.minCoeff(), 0);
}

}  // namespace
}  // namespace orthodict::solver
