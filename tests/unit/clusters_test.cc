// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/clusters.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "solver/consensus/recurrence.h"
#include "solver/consensus/resamples.h"
#include "solver/selected_samples.h"
#include "support.h"

namespace orthodict::solver {
namespace {

// The rows in another order, with other signs.
Matrix<double> shuffled(const Matrix<double>& rows, std::uint64_t seed) {
  const random::Stream stream(seed, random::Purpose::kShaking);
  const random::Permutation order(rows.rows(), stream);
  Matrix<double> result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) result.row(i) = (stream.uniform(i, 1) < 0.5 ? -1 : 1) * rows.row(order[i]);
  return result;
}

std::vector<Matrix<double>> random_runs(Index n, int runs) {
  std::vector<Matrix<double>> result;
  for (int run = 0; run < runs; ++run) {
    result.push_back(test::random_orthogonal<double>(n, static_cast<std::uint64_t>(100 + run)));
  }
  return result;
}

TEST(Clusters, OfTheSameAtomsInAnyOrderAndSignAreThoseAtoms) {
  constexpr Index kAtoms = 9;
  const Matrix<double> atoms = test::random_orthogonal<double>(kAtoms, 3);
  std::vector<Matrix<double>> runs;
  for (std::uint64_t run = 0; run < 6; ++run) runs.push_back(shuffled(atoms, run));
  const Clusters clusters = cluster_atoms(runs, kAtoms);
  EXPECT_LE(test::distance_to_signed_permutation(clusters.centres * atoms.transpose()), 1e-14);
  EXPECT_EQ(clusters.found, Vector<double>::Ones(kAtoms));
  EXPECT_LE((clusters.stability - Vector<double>::Ones(kAtoms)).norm(), 1e-13);
}

// Nine rows of any length in four dimensions, with orthonormal columns.
TEST(Clusters, HaveTheLengthsOfTheirVersions) {
  const Matrix<double> frame = test::random_orthogonal<double>(9, 4).leftCols(4);
  std::vector<Matrix<double>> runs, directions;
  for (std::uint64_t run = 0; run < 5; ++run) {
    runs.push_back(shuffled(frame, run));
    directions.emplace_back(runs.back().rowwise().normalized());
  }
  const Matrix<double> rows = with_lengths_of_versions(cluster_atoms(directions, 9), runs);
  EXPECT_LE((rows.transpose() * rows - test::identity(4)).norm(), 1e-13);
  for (const auto& row : frame.rowwise()) {
    const auto distances = (rows.rowwise() - row).rowwise().norm().cwiseMin((rows.rowwise() + row).rowwise().norm());
    EXPECT_LE(distances.minCoeff(), 1e-14);
  }
}

// Two runs have an atom that the four others don't have; these have two random directions instead.
TEST(Clusters, KnowWhatShareOfTheRunsHasAnAtom) {
  constexpr Index kAtoms = 30;
  const Matrix<double> atoms = test::random_orthogonal<double>(kAtoms, 3);
  std::vector<Matrix<double>> runs;
  for (std::uint64_t run = 0; run < 6; ++run) {
    Matrix<double> rows = atoms;
    rows.topRows(10) = test::random_orthogonal<double>(10, 50 + run) * atoms.topRows(10);
    if (run < 2) rows.row(0) = atoms.row(0);
    runs.push_back(shuffled(rows, run));
  }
  const Clusters clusters = cluster_atoms(runs, kAtoms);
  const Matrix<double> nearness = (clusters.centres * atoms.transpose()).cwiseAbs();
  for (Index i = 0; i < 20; ++i) {  // the best come first
    EXPECT_EQ(clusters.found[i], 1) << i;
    EXPECT_GT(clusters.stability[i], 0.9) << i;
    EXPECT_NEAR(nearness.row(i).tail(20).maxCoeff(), 1, 1e-12) << i;
  }
  for (Index i = 20; i < kAtoms; ++i) EXPECT_LT(clusters.found[i] * clusters.stability[i], 0.9) << i;
}

// Mean similarity within, less that to all others, written out.
TEST(Clusters, HaveIcassosIndex) {
  constexpr Index kAtoms = 5;
  constexpr int kRuns = 4;
  std::vector<Matrix<double>> runs;
  Matrix<double> all(kRuns * kAtoms, kAtoms);
  for (int run = 0; run < kRuns; ++run) {
    const Matrix<double> noise = 0.15 * test::random_gaussian(kAtoms, kAtoms, static_cast<std::uint64_t>(run));
    runs.emplace_back((test::identity(kAtoms) + noise).rowwise().normalized());
    all.middleRows(run * kAtoms, kAtoms) = runs.back();
  }
  const Clusters clusters = cluster_atoms(runs, kAtoms);
  const Matrix<double> similarity = (all * all.transpose()).cwiseAbs();
  for (Index i = 0; i < kAtoms; ++i) {
    Index atom = 0;
    clusters.centres.row(i).cwiseAbs().maxCoeff(&atom);
    double within = 0, outside = 0;
    for (int r = 0; r < kRuns; ++r) {
      for (Index j = 0; j < all.rows(); ++j) {
        const double value = similarity(r * kAtoms + atom, j);
        if (j == r * kAtoms + atom) continue;
        (j % kAtoms == atom ? within : outside) += value;
      }
    }
    EXPECT_NEAR(clusters.stability[i], within / (kRuns * (kRuns - 1)) - outside / (kRuns * kRuns * (kAtoms - 1)),
                1e-12);
    EXPECT_EQ(clusters.found[i], 1);
  }
}

TEST(Clusters, OfRandomRunsAreNotStable) {
  const Clusters clusters = cluster_atoms(random_runs(40, 5), 40);
  EXPECT_EQ(clusters.centres.rows(), 40);
  EXPECT_LT((clusters.found.array() * clusters.stability.array()).maxCoeff(), 0.3);
  EXPECT_LE((clusters.centres.rowwise().norm() - Vector<double>::Ones(40)).norm(), 1e-13);
}

// Each run has two nearly parallel atoms.
TEST(Clusters, HaveNoTwoAtomsOfOneRun) {
  std::vector<Matrix<double>> runs;
  for (std::uint64_t run = 0; run < 4; ++run) {
    Matrix<double> rows = test::identity(6);
    rows.row(1) = rows.row(0) + 0.3 * rows.row(1);
    rows += 0.01 * test::random_gaussian(6, 6, run);
    runs.push_back(shuffled(rows.rowwise().normalized(), run));
  }
  const Clusters clusters = cluster_atoms(runs, 6);
  EXPECT_EQ(clusters.found, Vector<double>::Ones(6));
}

TEST(Clusters, DontDependOnTheOrderInWhichRunsAreCompared) {
  const std::vector<Matrix<double>> runs = random_runs(12, 4);
  const auto backwards = [](Index count, const std::function<void(Index)>& task) {
    for (Index i = count; i-- > 0;) task(i);
  };
  const Clusters one = cluster_atoms(runs, 12), other = cluster_atoms(runs, 12, backwards);
  EXPECT_EQ(one.centres, other.centres);
  EXPECT_EQ(one.stability, other.stability);
}

Recurrence beyond_chance(const Matrix<double>& atoms, const std::vector<Matrix<double>>& runs,
                         const std::vector<std::vector<Index>>& groups = {}) {
  std::vector<Matrix<double>> near;
  for (const Matrix<double>& run : runs) near.push_back(similarities(atoms, run));
  return recurrence_beyond_chance(near, atoms.cols(), groups);
}

TEST(Matching, IsOneToOneAndBeginsWithTheBest) {
  const Matrix<double> score{{0.9, 0.8}, {0.95, 0.1}, {0.2, 0.3}};
  EXPECT_EQ(match_greedily(score), (std::vector<Index>{1, 0, -1}));
}

// Three runs: the atom itself, one at 60°, and one without it.
TEST(Recurrence, IsTheMeanSimilarityOfMatchesLessThatOfTheOthers) {
  const Matrix<double> atoms = test::identity(3).topRows(2);
  Matrix<double> same = test::identity(3), turned = same, without = same;
  turned.topLeftCorner(2, 2) = Matrix<double>{{0.5, std::sqrt(0.75)}, {-std::sqrt(0.75), 0.5}};
  without.row(0) = without.row(2);
  const std::vector<Matrix<double>> runs = {same, turned, without};
  const Recurrence again = recurrence(atoms, runs), beyond = beyond_chance(atoms, runs);
  const double root = std::sqrt(0.75);
  // Matched greedily: 1, √¾ (the larger one) and 0; the others of the first atom: ½ in the second run. The second
  // atom's matches are 1, √¾ and 1. In so few dimensions √¾ counts as nothing.
  EXPECT_NEAR(again.stability[0], (1 + root) / 3 - 0.5 / 6, 1e-12);
  EXPECT_NEAR(again.stability[1], (2 + root) / 3 - 0.5 / 6, 1e-12);
  EXPECT_NEAR(beyond.stability[0], 1.0 / 3 - 0.5 / 6, 1e-12);
  EXPECT_NEAR(beyond.stability[1], 2.0 / 3 - 0.5 / 6, 1e-12);
  for (const Recurrence& one : {again, beyond}) {
    EXPECT_NEAR(one.found[0], 2.0 / 3, 1e-12);
    EXPECT_NEAR(one.found[1], 1, 1e-12);
  }
}

// In nine runs the atoms are the same, and in one two of them are turned by 45°.
TEST(Recurrence, OfAnAtomSuffersLittleFromOneBadRun) {
  constexpr Index kAtoms = 12;
  std::vector<Matrix<double>> runs(10, test::identity(kAtoms));
  runs[3].topLeftCorner(2, 2) = Matrix<double>{{1, 1}, {-1, 1}} / std::sqrt(2.0);
  const Recurrence again = beyond_chance(test::identity(kAtoms), runs);
  EXPECT_EQ(again.found, Vector<double>::Ones(kAtoms));
  EXPECT_GT(again.stability.minCoeff(), 0.88);
  EXPECT_LT(again.stability.head(2).maxCoeff(), 0.9);
  EXPECT_NEAR(again.stability[5], 1, 1e-12);
}

// One atom, whose versions have a cosine of 0.9 with it: much in a plane, where chance does as much, and little in many
// dimensions.
TEST(Recurrence, CountsDimensionsBesideTheAtoms) {
  const auto stability_in = [](Index n) {
    std::vector<Matrix<double>> runs;
    for (std::uint64_t run = 0; run < 10; ++run) {
      Matrix<double> aside = test::random_gaussian(1, n, run);
      aside(0, 0) = 0;
      runs.emplace_back(0.9 * Matrix<double>::Identity(1, n) + std::sqrt(0.19) * aside.normalized());
    }
    return beyond_chance(Matrix<double>::Identity(1, n), runs).stability[0];
  };
  EXPECT_EQ(stability_in(2), 0);
  EXPECT_NEAR(stability_in(3), 0, 1e-12);
  EXPECT_NEAR(stability_in(30), 0.9, 1e-12);
}

// Ten atoms that come again within an angle of about 0.14, and some that are turned at random among themselves: in few
// dimensions these come as near as the others by chance.
TEST(Recurrence, IsNotStableForDirectionsThatAreFewAndUndetermined) {
  constexpr Index kDetermined = 10;
  for (const Index few : {2, 3, 4, 5}) {
    const Index n = kDetermined + few;
    std::vector<Matrix<double>> runs;
    for (std::uint64_t run = 0; run < 20; ++run) {
      Matrix<double> rows = test::identity(n);
      rows.bottomRightCorner(few, few) = test::random_orthogonal<double>(few, 500 + run);
      rows += 0.04 * test::random_gaussian(n, n, run);
      runs.push_back(shuffled(rows.rowwise().normalized(), run));
    }
    const Recurrence again = beyond_chance(test::identity(n), runs);
    EXPECT_GT(again.stability.head(kDetermined).minCoeff(), 0.85) << few;
    EXPECT_LT(again.stability.tail(few).maxCoeff(), 0.6) << few;
    EXPECT_EQ(again.found.head(kDetermined), Vector<double>::Ones(kDetermined));
  }
}

// The first atom is there in two runs of three. The least group of runs has it once in two.
TEST(Recurrence, IsThatOfTheLeastGroupOfRuns) {
  constexpr Index kAtoms = 20;
  const Matrix<double> same = test::identity(kAtoms);
  Matrix<double> without = same;
  without.row(0) = without.row(1);
  const std::vector<Matrix<double>> runs = {same, without, same};
  const Recurrence all = beyond_chance(same, runs);
  const Recurrence least = beyond_chance(same, runs, {{0, 2}, {0, 1}});
  EXPECT_NEAR(all.found[0], 2.0 / 3, 1e-12);
  EXPECT_NEAR(least.found[0], 0.5, 1e-12);
  EXPECT_NEAR(all.stability[0] - least.stability[0], 2.0 / 3 - 0.5, 1e-12);
  EXPECT_EQ(least.stability.tail(kAtoms - 2), all.stability.tail(kAtoms - 2));
}

TEST(Resamples, TellWhichChoicesAreWithoutABlock) {
  const Resamples bootstrap(Resampling::kBootstrap, 10'000, 1, 5);
  std::size_t left_out = 0;
  for (const std::vector<Index>& group : bootstrap.choices_without_a_block(10)) {
    EXPECT_FALSE(group.empty());
    const auto is_without = [&](Index choice, std::size_t block) {
      return bootstrap.times(static_cast<int>(choice))[block] == 0;
    };
    std::size_t common = 0;
    for (std::size_t block = 0; block < 64; ++block) {
      common +=
          std::all_of(group.begin(), group.end(), [&](Index choice) { return is_without(choice, block); }) ? 1 : 0;
    }
    EXPECT_GT(common, 0U);
    left_out += group.size();
  }
  std::size_t expected = 0;
  for (int choice = 0; choice < 10; ++choice) {
    const std::vector<int> times = bootstrap.times(choice);
    expected += static_cast<std::size_t>(std::count(times.begin(), times.end(), 0));
  }
  EXPECT_EQ(left_out, expected);
}

TEST(Resamples, AreHalvesAndTheirComplements) {
  const Resamples halves(Resampling::kHalves, 10'000, 1, 5);
  EXPECT_EQ(halves.blocks(), 64);
  std::set<std::vector<int>> seen;
  for (int choice = 0; choice < 20; choice += 2) {
    const std::vector<int> one = halves.times(choice), other = halves.times(choice + 1);
    EXPECT_EQ(std::count(one.begin(), one.end(), 1), 32);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i] + other[i], 1);
    seen.insert(one);
  }
  EXPECT_EQ(seen.size(), 10U);
}

TEST(Resamples, OfTheBootstrapHaveAsManyBlocksDrawnWithReplacement) {
  const Resamples bootstrap(Resampling::kBootstrap, 10'000, 1, 5);
  std::set<std::vector<int>> seen;
  double left_out = 0;
  for (int choice = 0; choice < 50; ++choice) {
    const std::vector<int> times = bootstrap.times(choice);
    EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), 64);
    left_out += static_cast<double>(std::count(times.begin(), times.end(), 0)) / (50 * 64);
    seen.insert(times);
  }
  EXPECT_EQ(seen.size(), 50U);
  // A block is left out of a choice with probability (1 − 1/64)⁶⁴ = 0.365, ± 0.0085 of 3200 of them.
  EXPECT_NEAR(left_out, 0.365, 0.03);
}

TEST(Resamples, ChooseThePlacesOfTheirBlocksAsOftenAsTheyHaveThem) {
  for (const Resampling how : {Resampling::kHalves, Resampling::kBootstrap}) {
    const Resamples resamples(how, 640, 1, 7);
    const auto sample = [](Index place) { return 639 - 2 * place; };
    const Index blocks = resamples.blocks();
    const std::vector<int> times = resamples.times(3);
    const std::vector<Index> chosen = resamples.chosen(3, 300, sample);
    EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
    for (Index place = 0; place < 300; ++place) {
      const auto block = static_cast<std::size_t>(sample(place) * blocks / 640);
      EXPECT_EQ(std::count(chosen.begin(), chosen.end(), place), times[block]) << place;
    }
  }
}

TEST(Resamples, HaveLongBlocksWhereNeighboursDependOnEachOther) {
  const auto blocks = [](Index samples, double dependence) {
    return Resamples(Resampling::kHalves, samples, dependence, 5).blocks();
  };
  EXPECT_EQ(blocks(10'000, 30), 22);
  EXPECT_EQ(blocks(10'000, 5000), 4);
  EXPECT_EQ(blocks(3, 1), 3);
}

TEST(SelectedSamples, AreThoseOfTheOthersInThisOrder) {
  const Matrix<double> y = test::random_gaussian(3, 20, 1);
  const auto samples = samples_in_columns(y);
  const std::vector<Index> chosen = {2, 3, 4, 9, 10, 15, 0};
  const SelectedSamples selected(*samples, chosen);
  ASSERT_EQ(selected.size(), 7);
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 7}, {0, 3}, {1, 4}, {5, 2}, {6, 1}}) {
    std::vector<double> scratch(static_cast<std::size_t>(3 * count));
    std::vector<float> single(scratch.size());
    const Block<double> block = selected.block(first, count, scratch.data());
    const Block<float> floats = selected.block(first, count, single.data());
    for (Index j = 0; j < count; ++j) {
      const Vector<double> expected = y.col(chosen[static_cast<std::size_t>(first + j)]);
      EXPECT_EQ(Eigen::Map<const Vector<double>>(block.data + j * block.stride, 3), expected);
      EXPECT_EQ(Eigen::Map<const Vector<float>>(floats.data + j * floats.stride, 3), expected.cast<float>());
    }
  }
  EXPECT_EQ(selected.place_of(3).sample, 9);
}

}  // namespace
}  // namespace orthodict::solver
