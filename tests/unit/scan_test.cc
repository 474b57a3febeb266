// SPDX-License-Identifier: Apache-2.0
#include "orthodict/scan.h"

#include <cmath>
#include <numbers>

#include "engine/workers.h"
#include "linalg/lapack.h"
#include "scan/held_out.h"
#include "scan/recommend.h"
#include "scan/robust_codes.h"
#include "support.h"

namespace orthodict {
namespace {

// Sparse sources in more dimensions, with white noise.
Matrix<double> mixed(Index sources, Index n, Index samples, double noise, std::uint64_t seed) {
  const Matrix<double> d = test::random_gaussian(n, sources, seed + 100);
  return d * test::coefficients(sources, samples, 0.1, 0, seed) + noise * test::random_gaussian(n, samples, seed);
}

ScanOptions numbers(std::vector<Index> atoms) {
  ScanOptions options{.atoms = std::move(atoms)};
  options.fit.runs = 4;
  return options;
}

TEST(Scan, RecommendsTheNumberOfSources) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Matrix<double> y = mixed(9, 25, 3000, 0.3, seed);
    const Scan result = scan(*samples_in_columns(y), numbers({5, 15, 20}));
    EXPECT_GE(result.recommended, 8);
    EXPECT_LE(result.recommended, 10);
    EXPECT_NE(result.reason.find("stable ones"), std::string::npos);
    EXPECT_GT(result.numbers.size(), 3U);  // it looked between 5 and 15
    for (std::size_t i = 1; i < result.numbers.size(); ++i) {
      EXPECT_LT(result.numbers[i - 1].atoms, result.numbers[i].atoms);
    }
    EXPECT_EQ(result.numbers.back().stable, 9);
    EXPECT_EQ(result.numbers.back().conserved, result.numbers.back().robust);
  }
}

TEST(Scan, TriesNoOtherNumbersIfToldSo) {
  ScanOptions options = numbers({4, 12});
  options.refinements = 0;
  std::vector<Index> seen;
  options.progress = [&](const ScannedNumber& number) { seen.push_back(number.atoms); };
  const Matrix<double> y = mixed(9, 16, 2000, 0.3, 3);
  const Scan result = scan(*samples_in_columns(y), options);
  EXPECT_EQ(result.numbers.size(), 2U);
  EXPECT_EQ(seen, (std::vector<Index>{12, 4}));
  EXPECT_EQ(result.recommended, 12);
}

// One sample is far along a direction of its own.
TEST(Scan, CountsAtomsThatOneSampleCarries) {
  Matrix<double> y = mixed(6, 12, 2000, 0.3, 4);
  y.col(77) += 60 * test::random_gaussian(12, 1, 9);
  ScanOptions options = numbers({8});
  options.fit.stretch = "logcosh";
  options.fit.center = true;
  const Scan result = scan(*samples_in_columns(y), options);
  EXPECT_EQ(result.numbers.front().singles, 1);
  EXPECT_GE(result.numbers.front().robust, result.numbers.front().stable);
}

TEST(Scan, RecommendsNothingWhereNothingIsStable) {
  const Matrix<double> y = Vector<double>::LinSpaced(24, 3, 1).asDiagonal() * test::random_gaussian(24, 1500, 5);
  ScanOptions options = numbers({14, 19});
  options.fit.runs = 6;
  const Scan result = scan(*samples_in_columns(y), options);
  ASSERT_EQ(result.numbers.front().stable, 0);
  ASSERT_EQ(result.numbers.back().stable, 0);
  EXPECT_FALSE(result.recommended);
  EXPECT_NE(result.reason.find("likeliest by 19 principal components"), std::string::npos) << result.reason;
}

TEST(Scan, StaysWithinTheRange) {
  const Matrix<double> y = mixed(9, 16, 2000, 0.3, 3);
  const Scan result = scan(*samples_in_columns(y), numbers({12, 14}));
  EXPECT_EQ(result.recommended, 12);
  EXPECT_EQ(result.numbers.size(), 2U);
}

// A single atom comes again whatever the samples are: it doesn't count, and a single number isn't refined.
TEST(Scan, DoesNotCountASingleAtom) {
  for (const Matrix<double>& y : {test::random_gaussian(12, 1500, 5), mixed(9, 16, 2000, 0.3, 3)}) {
    const Scan result = scan(*samples_in_columns(y), numbers({1}));
    EXPECT_EQ(result.numbers.size(), 1U);
    EXPECT_EQ(result.numbers.front().stable, 0);
    EXPECT_EQ(result.numbers.front().robust, 0);
    EXPECT_FALSE(result.recommended);
  }
  const Matrix<double> y = mixed(9, 16, 2000, 0.3, 3);
  EXPECT_EQ(scan(*samples_in_columns(y), numbers({1, 12})).recommended, 9);
  EXPECT_EQ(scan(*samples_in_columns(y), numbers({12})).numbers.size(), 1U);
}

// What a fit says of the same samples and number of atoms.
TEST(Scan, CountsTheStableAtomsOfAFit) {
  const Matrix<double> y = mixed(9, 16, 150, 0.3, 3);
  const ScanOptions options = numbers({6, 12});
  const Scan result = scan(*samples_in_columns(y), [&] {
    ScanOptions some = options;
    some.refinements = 0;
    return some;
  }());
  for (const ScannedNumber& number : result.numbers) {
    Options of_fit = options.fit;
    of_fit.atoms = Atoms(number.atoms);
    of_fit.dictionary = Dictionary::kComplete;
    EXPECT_EQ(number.stable, test::fit_columns(y, of_fit).summary.stable) << number.atoms;
  }
}

// Fewer samples than features: nothing is held out, and nothing has the size of features × features.
TEST(Scan, TakesMoreFeaturesThanSamples) {
  const Matrix<double> y = test::random_gaussian(100'000, 5, 2) * test::coefficients(5, 40, 0.2, 0);
  const Scan result = scan(*samples_in_columns(y), numbers({3, 5}));
  EXPECT_FALSE(result.numbers.front().held_out);
  EXPECT_EQ(result.numbers.back().conserved, result.numbers.back().robust);
}

// Three atoms: the codes of the first are those of the other model's; one sample carries the second.
TEST(RobustCodes, TellSinglesAndWhatIsConserved) {
  Matrix<double> y = test::random_gaussian(3, 9000, 4);
  y(1, 8500) = 100;
  y.row(0).array() += 1e6;
  const auto model_of = [](const Matrix<double>& analysis) {
    return Model{.dictionary = analysis, .analysis = analysis, .mean = Vector<double>::Zero(3)};
  };
  const Matrix<double> other{{-2, 0, 0.5}};
  const RobustCodes codes = look_at_codes(model_of(test::identity(3)), model_of(other), *samples_in_columns(y), 1);
  EXPECT_EQ(codes.singles, 1);
  EXPECT_EQ(codes.conserved, 1);
  const Model none = encoder_of(model_of(other), {});
  EXPECT_EQ(look_at_codes(model_of(other), none, *samples_in_columns(y), 1).conserved, 0);
  EXPECT_EQ(look_at_codes(none, model_of(other), *samples_in_columns(y), 1).singles, 0);
}

TEST(Recommendation, FollowsOpticasRule) {
  const auto recommended = [](std::vector<ScannedNumber> numbers) {
    Scan scan{.numbers = std::move(numbers)};
    recommend(&scan);
    return scan;
  };
  // With 20 atoms there is one robust atom more than the largest number has, which isn't a single; with 30 it is one.
  const Scan found = recommended({{.atoms = 20, .robust = 15, .singles = 1, .conserved = 13},
                                  {.atoms = 30, .robust = 16, .singles = 1, .conserved = 15},
                                  {.atoms = 40, .robust = 17, .singles = 1, .conserved = 17}});
  EXPECT_EQ(found.optica, 30);
  EXPECT_NE(found.optica_reason.find("beyond singles, 15, than the largest number conserves, 15"), std::string::npos);
  const Scan without = recommended({{.atoms = 20, .robust = 3}, {.atoms = 30}});
  EXPECT_EQ(without.optica, 30);
  EXPECT_NE(without.optica_reason.find("the largest number of atoms has no robust one"), std::string::npos);
  const Scan nothing = recommended({{.atoms = 20}, {.atoms = 30}});
  EXPECT_FALSE(nothing.optica);
  EXPECT_EQ(nothing.optica_reason, "no number of atoms gives a robust one");
}

TEST(Scan, RefusesWhatMakesNoSense) {
  const Matrix<double> y = mixed(3, 5, 200, 0.1, 6);
  const auto message_of = [&](const std::function<void(ScanOptions&)>& change) {
    ScanOptions options = numbers({2, 4});
    change(options);
    return test::error_of([&] { (void)scan(*samples_in_columns(y), options); }).second;
  };
  EXPECT_EQ(message_of([](ScanOptions& o) { o.fit.runs = 1; }).rfind("runs = 1: must be at least 2", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.atoms = {}; }).rfind("atoms = : must be numbers", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.atoms = {4, 2}; }).rfind("atoms = 4, 2: must be numbers", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.atoms = {0, 2}; }).rfind("atoms = 0, 2: must be numbers", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.refinements = -1; }).rfind("refinements = -1", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.fit.checkpoint = "c.npz"; }).rfind("checkpoint = c.npz: must", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.fit.atoms = Atoms(3); }).rfind("atoms = 3: must be left out", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.fit.dictionary = Dictionary::kOrthogonal; }).rfind("dictionary", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.fit.whiten = Whitening::kNone; }).rfind("whiten = none: must be", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.fit.resume = "c.npz"; }).rfind("resume = c.npz: must", 0), 0U);
  EXPECT_EQ(message_of([](ScanOptions& o) { o.fit.max_iterations = 5; }).rfind("max_iterations = 5: must be enough", 0),
            0U);
}

// Of one fold, written out with the covariance of the model.
TEST(HeldOut, IsTheLikelihoodOfPrincipalComponentsAndWhiteNoise) {
  constexpr Index kSize = 4, kSamples = 50;
  const Matrix<double> y =
      Vector<double>::LinSpaced(kSize, 2, 1).asDiagonal() * test::random_gaussian(kSize, kSamples, 7);
  engine::Workers workers(1);
  const HeldOut held_out(*samples_in_columns(y), workers, {});
  double expected = 0;
  for (Index fold = 0; fold < 5; ++fold) {
    Matrix<double> others(kSize, 40);
    others << y.leftCols(10 * fold), y.rightCols(40 - 10 * fold);
    const Vector<double> mean = others.rowwise().mean();
    const Matrix<double> centred = others.colwise() - mean;
    const auto [values, vectors] = linalg::symmetric_eigen(centred * centred.transpose() / 40);
    const double noise = (values[0] + values[1]) / 2;
    const Vector<double> model{{noise, noise, values[2], values[3]}};
    const Matrix<double> along = vectors.transpose() * (y.middleCols(10 * fold, 10).colwise() - mean);
    const double squares = (along.array().square().rowwise().sum() / model.array()).sum() / 10;
    expected -= (kSize * std::log(2 * std::numbers::pi) + model.array().log().sum() + squares) / 2 / 5;
  }
  EXPECT_NEAR(*held_out.log_likelihood(2), expected, 1e-10);
  EXPECT_FALSE(held_out.log_likelihood(kSize));
  const Matrix<double> wide = test::random_gaussian(20, 12, 1);
  const HeldOut few(*samples_in_columns(wide), workers, {});
  EXPECT_FALSE(few.log_likelihood(3));
  const Matrix<double> nine = test::random_gaussian(7, 9, 1);  // two folds leave seven samples
  EXPECT_FALSE(HeldOut(*samples_in_columns(nine), workers, {}).log_likelihood(3));
}

TEST(HeldOut, SaysNothingWhereOnlyRoundingIsLeft) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Matrix<double> y = test::random_gaussian(8, 3, seed) * test::random_gaussian(3, 50, seed + 10);
    engine::Workers workers(1);
    const HeldOut held_out(*samples_in_columns(y), workers, {});
    EXPECT_TRUE(held_out.log_likelihood(2)) << seed;
    for (Index k = 3; k < 8; ++k) EXPECT_FALSE(held_out.log_likelihood(k)) << seed << " " << k;
  }
}

}  // namespace
}  // namespace orthodict
