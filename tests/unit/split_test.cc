// SPDX-License-Identifier: Apache-2.0
// The split into samples to learn from and held-out samples.
#include "solver/auto/split.h"

#include <algorithm>
#include <numeric>

#include "support.h"

namespace orthodict::solver {
namespace {

std::vector<Index> numbers_of(const Sequence& sequence) {
  std::vector<Index> numbers;
  for (Index i = 0; i < sequence.size(); ++i) numbers.push_back(sequence[i]);
  return numbers;
}

std::vector<Index> first_numbers(const Order& order, Index count) {
  std::vector<Index> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(order(i));
  return numbers;
}

std::vector<Index> sorted(std::vector<Index> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<Index> all_of(Index samples) {
  std::vector<Index> numbers(static_cast<std::size_t>(samples));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return numbers;
}

std::vector<Index> sizes(Index samples, Index dimension) { return Split(samples, dimension, 1, 0).parts(); }

TEST(Sequence, NumbersTheSamplesOfItsSegments) {
  const Sequence sequence({{.first = 2, .count = 3}, {.first = 6, .count = 0}, {.first = 9, .count = 1}});
  EXPECT_EQ(numbers_of(sequence), (std::vector<Index>{2, 3, 4, 9}));
  EXPECT_EQ(sequence.segments().size(), 2U);
  EXPECT_EQ(numbers_of(sequence.complement(11)), (std::vector<Index>{0, 1, 5, 6, 7, 8, 10}));
  EXPECT_EQ(numbers_of(sequence.complement(10)), (std::vector<Index>{0, 1, 5, 6, 7, 8}));
  EXPECT_EQ(Sequence({}).size(), 0);
  EXPECT_EQ(numbers_of(Sequence({}).complement(3)), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(Sequence({{.first = 0, .count = 3}}).complement(3).size(), 0);
}

TEST(Split, PartsGrowAndLeaveAFifth) {
  EXPECT_EQ(sizes(100'000, 20), (std::vector<Index>{1000, 4000, 16'000, 80'000}));  // 64 000 is nearly the last
  EXPECT_EQ(sizes(100'000, 100), (std::vector<Index>{2000, 8000, 32'000, 80'000}));
  EXPECT_EQ(sizes(10'000'000, 1000).back(), (Index{1} << 26) / 1002);
}

// Until a fifth less is still more than the first part.
TEST(Split, FewSamplesAreAllExplored) {
  EXPECT_EQ(sizes(300, 20), (std::vector<Index>{300}));
  EXPECT_EQ(sizes(1250, 20), (std::vector<Index>{1000, 1250}));
  EXPECT_FALSE(Split(1250, 20, 1, 0).hold_out());
  EXPECT_EQ(sizes(1260, 20), (std::vector<Index>{1000, 1008}));
  EXPECT_TRUE(Split(1260, 20, 1, 0).hold_out());
  EXPECT_EQ(sizes(1, 20), (std::vector<Index>{1}));
}

// Held-out and explored samples together are all samples, without duplicates.
TEST(Split, ExploresARandomOrderOfWhatIsNotHeldOut) {
  const Split split(4001, 20, 1, 7);
  ASSERT_TRUE(split.hold_out());
  const std::vector<Index> explored = first_numbers(split.order(), split.parts().back());
  EXPECT_FALSE(std::is_sorted(explored.begin(), explored.end()));
  EXPECT_EQ(sorted(explored), numbers_of(split.hold_out()->learned_from));
  std::vector<Index> all = numbers_of(split.hold_out()->held_out);
  EXPECT_NEAR(static_cast<double>(all.size()), 4001 / 5.0, 20);  // each segment differs by less than one
  all.insert(all.end(), explored.begin(), explored.end());
  EXPECT_EQ(sorted(all), all_of(4001));
  EXPECT_NE(first_numbers(Split(4001, 20, 1, 8).order(), 100), first_numbers(split.order(), 100));
}

// Samples, dependence. Each sample is held out once, and then isn't learned from.
class Folds : public testing::TestWithParam<std::pair<Index, double>> {};

TEST_P(Folds, ArePartsOfAllSamples) {
  const auto [samples, dependence] = GetParam();
  const Split split(samples, 200, dependence, 1);
  ASSERT_EQ(split.folds().size(), 5U);
  std::vector<Index> held_out;
  for (const Fold& fold : split.folds()) {
    const std::vector<Index> own = numbers_of(fold.held_out);
    held_out.insert(held_out.end(), own.begin(), own.end());
    std::vector<Index> both = first_numbers(split.order_of(fold), split.size_of(fold));
    EXPECT_EQ(sorted(both), numbers_of(fold.learned_from));
    both.insert(both.end(), own.begin(), own.end());
    EXPECT_EQ(sorted(both), all_of(samples));
  }
  EXPECT_EQ(sorted(held_out), all_of(samples));
}

INSTANTIATE_TEST_SUITE_P(, Folds,
                         testing::Values(std::pair{601, 1.0}, std::pair{601, 30.0}, std::pair{4003, 1.0},
                                         std::pair{4003, 50.0}));

TEST(Split, CrossFitsFewSamplesHoldsOutAFifthOfManyAndJudgesByNoneOfTooFew) {
  const Split few(400, 40, 1, 0);
  EXPECT_FALSE(few.hold_out());
  EXPECT_EQ(few.folds().size(), 5U);
  const Split many(2'000, 20, 1, 0);
  EXPECT_TRUE(many.hold_out());
  EXPECT_TRUE(many.folds().empty());
  EXPECT_EQ(Split(30, 10, 1, 0).folds().size(), 5U);
  EXPECT_TRUE(Split(29, 5, 1, 0).folds().empty());
  EXPECT_TRUE(Split(59, 20, 1, 0).folds().empty());
}

// Held-out runs are spread over the recording. Their length is 15 times the dependence, unless fewer than four would
// remain.
TEST(Split, HoldsOutSegmentsSpreadOverTheRecording) {
  constexpr Index kSamples = 100'000;
  for (const auto& [dependence, groups] : {std::pair<double, Index>{1, 20}, {100, 13}, {1000, 4}}) {
    const Split split(kSamples, 20, dependence, 0);
    const std::vector<Segment>& segments = split.hold_out()->held_out.segments();
    ASSERT_EQ(static_cast<Index>(segments.size()), groups) << dependence;
    for (Index i = 0; i < groups; ++i) {
      const Segment& segment = segments[static_cast<std::size_t>(i)];
      EXPECT_GE(segment.first, kSamples * i / groups);
      EXPECT_LE(segment.first + segment.count, kSamples * (i + 1) / groups);
      EXPECT_NEAR(static_cast<double>(segment.count), kSamples / 5.0 / static_cast<double>(groups), 1);
    }
  }
}

TEST(Split, FinishesOnWhatFitsInDoublePrecision) {
  EXPECT_EQ(Split(100'000, 20, 1, 0).to_finish(80'000), 80'000);
  EXPECT_EQ(Split(1'000'000, 1000, 1, 0).to_finish(60'000), 20'000);
}

Index sum_of(const std::vector<Segment>& batches) {
  Index sum = 0;
  for (const Segment& batch : batches) sum += batch.count;
  return sum;
}

TEST(Batches, LieInsideTheSegments) {
  const Sequence held_out({{.first = 100, .count = 100}, {.first = 900, .count = 100}});
  // For independent samples: all of them, in equal shares of each segment.
  const std::vector<Segment> all = batches_of(held_out, 1, 8, 1000, 1000);
  ASSERT_EQ(all.size(), 8U);
  for (Index i = 0; i < 8; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)].first, (i < 4 ? 100 : 800) + 25 * i);
    EXPECT_EQ(all[static_cast<std::size_t>(i)].count, 25);
  }
}

// 1.5 times the dependence away from what was learned from, which isn't beyond the end of the recording, and three
// times it long; but never without a third of a segment.
TEST(Batches, KeepAwayFromWhatWasLearnedFrom) {
  const Sequence held_out({{.first = 0, .count = 100}, {.first = 400, .count = 100}, {.first = 900, .count = 100}});
  const std::vector<Segment> batches = batches_of(held_out, 10, 60, 1000, 1000);
  ASSERT_EQ(batches.size(), 6U);  // 85, 70 and 85 samples in pieces of at least 30
  EXPECT_EQ(batches[0].first, 0);
  EXPECT_EQ(batches[1].first + batches[1].count, 85);
  EXPECT_EQ(batches[2].first, 415);
  EXPECT_EQ(batches[3].first + batches[3].count, 485);
  EXPECT_EQ(batches[4].first, 915);
  EXPECT_EQ(batches[5].first + batches[5].count, 1000);
  EXPECT_EQ(sum_of(batches), 85 + 70 + 85);
  const std::vector<Segment> long_way = batches_of(held_out, 1000, 60, 1000, 1000);
  ASSERT_EQ(long_way.size(), 3U);
  EXPECT_EQ(long_way[1].first, 433);
  EXPECT_EQ(long_way[1].count, 34);
}

TEST(Batches, AreNoMoreThanThereIsRoomFor) {
  const Sequence held_out({{.first = 0, .count = 1000}, {.first = 4000, .count = 1000}});
  EXPECT_EQ(sum_of(batches_of(held_out, 1, 64, 5000, 500)), 500);
  EXPECT_EQ(batches_of(held_out, 1, 64, 5000, 500).size(), 64U);
  EXPECT_EQ(sum_of(batches_of(held_out, 1, 64, 5000, 1)), 2);  // one of each segment at least
}

}  // namespace
}  // namespace orthodict::solver
