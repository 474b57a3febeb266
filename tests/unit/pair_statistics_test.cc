// SPDX-License-Identifier: Apache-2.0
// Statistics of held-out coefficients, for data for which the result is known.
#include "solver/auto/pair_statistics.h"

#include "support.h"

namespace orthodict::solver {
namespace {

constexpr Index kAtoms = 6, kSamples = 4000, kBatches = 40;
const Vector<double> kNotSlow = Vector<double>::Ones(kAtoms);

std::vector<Index> ends_of(Index samples, Index batches) {
  std::vector<Index> ends;
  for (Index i = 1; i <= batches; ++i) ends.push_back(samples * i / batches);
  return ends;
}

Matrix<double> uniform_sources(std::uint64_t seed) {
  const random::Stream stream(seed, random::Purpose::kCoefficients);
  return Matrix<double>::NullaryExpr(kAtoms, kSamples,
                                     [&](Index i, Index j) { return std::sqrt(12.0) * (stream.uniform(i, j) - 0.5); });
}

// Gaussian directions of lengths that vary: a round distribution with heavy tails, in which no direction is special.
Matrix<double> elliptical_sources(std::uint64_t seed) {
  Matrix<double> z = test::random_gaussian(kAtoms, kSamples, seed);
  const Matrix<double> logarithms = test::random_gaussian(1, kSamples, seed + 100);
  for (Index j = 0; j < kSamples; ++j) z.col(j) *= std::exp(0.7 * logarithms(0, j));
  return z;
}

// Orthonormal atoms of equal energy: an angle is an error.
Matrix<double> plain_leverage() { return Matrix<double>::Ones(kAtoms, kAtoms) - test::identity(kAtoms); }

PairStatistics measured(const Matrix<double>& codes) {
  return measure_pairs(codes, ends_of(codes.cols(), kBatches), signs_of(codes), Vector<double>::Ones(codes.rows()),
                       true);
}

Vector<double> confidence_in(const Matrix<double>& codes) {
  return confidence(measured(codes), plain_leverage(), static_cast<double>(codes.cols()),
                    static_cast<double>(codes.cols()));
}

TEST(PairStatistics, EstablishesIndependentSparseSources) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Matrix<double> z = test::coefficients(kAtoms, kSamples, 0.2, 0.1, seed);
    EXPECT_EQ(signs_of(z), Vector<double>::Ones(kAtoms));
    EXPECT_GT(confidence_in(z).minCoeff(), 0.95) << seed;
    EXPECT_GT(measured(z).structure, 20) << seed;
  }
}

TEST(PairStatistics, EstablishesSourcesThatAreLessSparseThanGaussianOnes) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Matrix<double> z = uniform_sources(seed);
    EXPECT_EQ(signs_of(z), -Vector<double>::Ones(kAtoms));
    EXPECT_GT(confidence_in(z).minCoeff(), 0.95) << seed;
    EXPECT_GT(measured(z).structure, 20) << seed;
  }
}

// Angles between the two kinds are determined as well as others: the variance of a pair's torque doesn't count what
// whitening fixes.
TEST(PairStatistics, EstablishesSparseSourcesBesideUniformOnes) {
  Matrix<double> z = test::coefficients(kAtoms, kSamples, 0.2, 0.1, 1);
  z.bottomRows(kAtoms / 2) = uniform_sources(1).bottomRows(kAtoms / 2);
  EXPECT_GT(confidence_in(z).minCoeff(), 0.97);
}

// The structure is a number of standard errors: with signs that other samples told it is normal, of variance 1, and of
// nine none is beyond 4.
TEST(PairStatistics, EstablishesNothingInGaussianNoise) {
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const Matrix<double> z = test::random_gaussian(kAtoms, kSamples, seed);
    const Vector<double> signs = signs_of(test::random_gaussian(kAtoms, kSamples, seed + 50));
    const PairStatistics statistics = measure_pairs(z, ends_of(kSamples, kBatches), signs, kNotSlow, true);
    EXPECT_LT(confidence(statistics, plain_leverage(), kSamples, kSamples).maxCoeff(), 0.5) << seed;
    EXPECT_LT(std::abs(statistics.structure), 4) << seed;
  }
}

TEST(PairStatistics, EstablishesNothingInARoundDistributionWithHeavyTails) {
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const Matrix<double> z = elliptical_sources(seed);
    const PairStatistics statistics =
        measure_pairs(z, ends_of(kSamples, kBatches), signs_of(elliptical_sources(seed + 50)), kNotSlow, true);
    EXPECT_LT(confidence(statistics, plain_leverage(), kSamples, kSamples).maxCoeff(), 0.5) << seed;
    EXPECT_LT(std::abs(statistics.structure), 4) << seed;
  }
}

// One Gaussian atom is determined by the others; two aren't.
TEST(PairStatistics, DoesNotTellTwoGaussianAtomsApart) {
  Matrix<double> z = test::coefficients(kAtoms, kSamples, 0.2, 0, 4);
  z.row(1) = test::random_gaussian(1, kSamples, 5);
  EXPECT_GT(confidence_in(z).minCoeff(), 0.9);
  z.row(4) = test::random_gaussian(1, kSamples, 6);
  const Vector<double> both = confidence_in(z);
  for (Index i = 0; i < kAtoms; ++i) {
    if (i == 1 || i == 4) {
      EXPECT_LT(both[i], 0.5);
    } else {
      EXPECT_GT(both[i], 0.9);
    }
  }
}

// Coefficients z_i + εz_j are those of an atom j that has the share ε² of atom i in it: d_j − εd_i. Gaussian noise
// takes its part of the energy of the coefficients, and adds nothing to the residual, though it goes together between
// all atoms: by Stein's identity, but for what the cut of long samples makes of it, which is a tenth of ε² here.
TEST(PairStatistics, SeesWhatThereIsOfAnAtomInAnother) {
  constexpr Index kMany = 100'000;
  constexpr double kShare = 0.1;
  const Matrix<double> clean = test::coefficients(kAtoms, kMany, 0.2, 0, 7);
  const Matrix<double> mixing = 0.2 * test::identity(kAtoms).array() + 0.2;  // correlations of 0.9
  for (const double noise : {0.0, 0.5}) {
    const Matrix<double> added = noise * mixing * test::random_gaussian(kAtoms, kMany, 8);
    Matrix<double> z = clean + added;
    const PairStatistics without = measured(z);
    z.row(2) += kShare * clean.row(4);
    const PairStatistics with = measured(z);
    // The standard error of a squared share e² is 2e·√variance.
    const double error = 2 * kShare * std::sqrt(with.residual_variance(4, 2));
    EXPECT_LT(error, 0.1 * kShare * kShare) << noise;
    EXPECT_NEAR(with.residual_share(4, 2), kShare * kShare, 3 * error + 0.1 * kShare * kShare) << noise;
    for (Index i = 0; i < kAtoms; ++i) {
      for (Index j = 0; j < kAtoms; ++j) {
        if (i == j) continue;
        // A square of a normal number, less its mean: beyond 16 times the variance once in 16 000.
        EXPECT_LT(std::abs(without.residual_share(i, j)),
                  16 * without.residual_variance(i, j) + (noise > 0 ? 0.1 * kShare * kShare : 0));
      }
    }
    // Confidence is lower by it.
    const Vector<double> errors = confidence(with, plain_leverage(), kMany, kMany).cwiseInverse().array() - 1;
    EXPECT_GT(errors[4], 0.5 * kShare * kShare) << noise;
    EXPECT_LT(errors[4], 2 * kShare * kShare) << noise;
    EXPECT_GT(error_shown(with, plain_leverage()).mean - error_shown(without, plain_leverage()).mean,
              0.5 * kShare * kShare / kAtoms);
  }
}

// Batches that don't count the dependence of neighbours would give variances that are too small: five copies of each
// sample tell as much as one.
TEST(PairStatistics, CountsTheDependenceOfNeighbours) {
  constexpr Index kTimes = 5;
  const Matrix<double> once = test::coefficients(kAtoms, kSamples, 0.2, 0.1, 9);
  const Matrix<double> z =
      Matrix<double>::NullaryExpr(kAtoms, kTimes * kSamples, [&](Index i, Index j) { return once(i, j / kTimes); });
  const PairStatistics statistics = measured(once), repeated = measured(z);
  EXPECT_LE((repeated.curvature - statistics.curvature).norm(), 1e-12 * statistics.curvature.norm());
  EXPECT_LE((repeated.torque_variance - kTimes * statistics.torque_variance).norm(),
            1e-9 * repeated.torque_variance.norm());
}

// Loud and quiet periods, at different times for each atom. Varying scales must not count as errors.
TEST(PairStatistics, OfFreshSamplesDoesNotCountTheirScale) {
  Matrix<double> z = test::coefficients(kAtoms, kSamples, 0.2, 0.1, 2);
  for (Index j = 0; j < kSamples; ++j) {
    for (Index i = 0; i < kAtoms; ++i) z(i, j) *= (j / 400 + i) % 2 == 0 ? 1 : 2;
  }
  const auto hear_as = [&](bool is_fresh) {
    return measure_pairs(z, ends_of(kSamples, kBatches), signs_of(z), kNotSlow, is_fresh);
  };
  const PairStatistics fresh = hear_as(true), other = hear_as(false);
  // Covariances are shrunk to each other according to their errors, which keeps their mean.
  EXPECT_NEAR(fresh.curvature.mean() / other.curvature.mean(), 1, 0.05);
  EXPECT_LT(fresh.curvature_variance.sum(), 0.5 * other.curvature_variance.sum());
  EXPECT_GT(fresh.structure, other.structure);
}

// Halves of the same samples. Both count their spread anew, to 1/√(2·2000), and their variances, each with half of the
// batches, to √(2/20) and less over all pairs.
TEST(PairStatistics, PoolsHalvesToTheWhole) {
  const Matrix<double> z = test::coefficients(kAtoms, kSamples, 0.2, 0.3, 3);
  const PairStatistics whole = measured(z);
  const auto half = [&](const Matrix<double>& codes) {
    return measure_pairs(codes, ends_of(codes.cols(), 20), signs_of(z), kNotSlow, true);
  };
  const PairStatistics pooled = pool({half(z.leftCols(kSamples / 2)), half(z.rightCols(kSamples / 2))});
  EXPECT_EQ(pooled.samples, whole.samples);
  EXPECT_EQ(pooled.batches, 20);
  EXPECT_LE((pooled.curvature - whole.curvature).norm(), 0.05 * whole.curvature.norm());
  EXPECT_NEAR(pooled.torque_variance.sum() / whole.torque_variance.sum(), 1, 0.2);
  EXPECT_NEAR(pooled.curvature_variance.sum() / whole.curvature_variance.sum(), 1, 0.4);
  EXPECT_NEAR(pooled.structure / whole.structure, 1, 0.3);
  const Vector<double> one = confidence(whole, plain_leverage(), kSamples, kSamples).array().inverse() - 1;
  const Vector<double> other = confidence(pooled, plain_leverage(), kSamples, kSamples).array().inverse() - 1;
  EXPECT_NEAR(other.mean() / one.mean(), 1, 0.3);
}

TEST(PairStatistics, OfOneBatchSaysNothingAndOfOneAtomEverything) {
  const Matrix<double> z = test::coefficients(kAtoms, 100, 0.2, 0);
  const PairStatistics silent = measure_pairs(z, {100}, Vector<double>::Ones(kAtoms), kNotSlow, true);
  EXPECT_LT(confidence(silent, plain_leverage(), 100, 100).maxCoeff(), 0.5);
  EXPECT_EQ(error_shown(silent, plain_leverage()).mean, 0);
  const PairStatistics heard_once = measure_pairs(z, ends_of(100, 10), Vector<double>::Ones(kAtoms), kNotSlow, true);
  EXPECT_LT(confidence(pool({heard_once, silent}), plain_leverage(), 100, 100).maxCoeff(), 0.5);
  const PairStatistics alone =
      measure_pairs(z.topRows(1), ends_of(100, 10), Vector<double>::Ones(1), Vector<double>::Ones(1), true);
  EXPECT_EQ(confidence(alone, Matrix<double>::Zero(1, 1), 100, 100), Vector<double>::Ones(1));
}

// Long samples are cut, and with them all coefficients of sparse ones: that gives pairs of sparse sources a covariance,
// and Gaussian ones heavier tails. A Gaussian pair among them stays undetermined.
TEST(PairStatistics, GivesAGaussianPairAmongSparseSourcesNoCurvature) {
  constexpr Index kMany = 6000;
  constexpr int kSeeds = 20;
  double mean = 0;  // of κ in standard errors
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Matrix<double> z = test::coefficients(kAtoms, kMany, 0.1, 0.05, seed);
    z.bottomRows(2) = test::random_gaussian(2, kMany, seed + 100);
    const PairStatistics statistics = measure_pairs(z, ends_of(kMany, kBatches), signs_of(z), kNotSlow, true);
    EXPECT_GT(confidence(statistics, plain_leverage(), kMany, kMany).head(kAtoms - 2).minCoeff(), 0.9) << seed;
    mean += statistics.curvature(4, 5) / std::sqrt(statistics.curvature_variance(4, 5)) / kSeeds;
  }
  EXPECT_LT(std::abs(mean), 3 / std::sqrt(kSeeds)) << mean;
}

// d_1 = (2, 0), d_2 = (3, 3), σ = (1, 5): cos² = ½, and energies of 4 and 450.
TEST(PairStatistics, LeverageOfPairsIsTheFormula) {
  const Matrix<double> atoms{{2, 3}, {0, 3}};
  const Matrix<double> leverage = leverage_of_pairs(atoms, Vector<double>{{1, 5}});
  EXPECT_NEAR(leverage(0, 1), 0.5 * 450 / 4, 1e-12);
  EXPECT_NEAR(leverage(1, 0), 0.5 * 4 / 450, 1e-15);
  EXPECT_EQ(leverage(0, 0), 0);
  EXPECT_EQ(leverage(1, 1), 0);
}

}  // namespace
}  // namespace orthodict::solver
