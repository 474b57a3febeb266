// SPDX-License-Identifier: Apache-2.0
#include "orthodict/ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <stop_token>

#include "engine/collective.h"
#include "engine/lanes.h"
#include "support.h"
#include "thread_ranks.h"

namespace orthodict {
namespace {

using engine::Collective;
using test::on_ranks;

const std::vector<int> kCounts = {1, 2, 3, 4, 5, 8, 13};

TEST(Collective, AnyIsTrueOnAllRanksIfOneSaysSo) {
  for (const int count : kCounts) {
    for (int who = -1; who < count; ++who) {
      for (const auto& own : on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
             return Collective(ranks.get()).any([&] { return ranks->rank() == who; });
           })) {
        EXPECT_EQ(own.result, who >= 0);
      }
    }
  }
}

TEST(Collective, AnErrorOnOneRankIsAnErrorOnAll) {
  for (const int count : kCounts) {
    const int who = count / 2;
    const auto results = on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
      return Collective(ranks.get()).any([&]() -> bool {
        if (ranks->rank() >= who)
          throw Error(Fault::kOption, std::string("no ") + static_cast<char>('a' + ranks->rank()));
        return false;
      });
    });
    const std::string first = std::string("no ") + static_cast<char>('a' + who);
    for (int rank = 0; rank < count; ++rank) {
      const std::string expected = rank == who ? first : "rank " + std::to_string(who) + ": " + first;
      EXPECT_EQ(results[static_cast<std::size_t>(rank)].error, expected);
    }
  }
}

TEST(Collective, SharesWhatEachOwns) {
  for (const int count : kCounts) {
    for (const auto& own : on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
           const auto owner = [&](Index i) { return static_cast<int>(i * i % count); };
           std::vector<int> items(100, -1);
           for (Index i = 0; i < 100; ++i) {
             if (owner(i) == ranks->rank()) items[static_cast<std::size_t>(i)] = static_cast<int>(7 * i);
           }
           Collective(ranks.get()).share(std::span(items), owner);
           return items;
         })) {
      for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ((*own.result)[i], 7 * static_cast<int>(i));
    }
  }
}

TEST(Collective, RefusesRanksThatAreNotAlike) {
  const auto results = on_ranks(4, [&](const std::shared_ptr<Ranks>& ranks) {
    Collective(ranks.get()).require_equal(ranks->rank() == 2 ? 1 : 0, "other options");
    return true;
  });
  for (const auto& own : results) EXPECT_NE(own.error.find("other options"), std::string::npos);
}

// Numbers whose sum depends on the order.
struct Number {
  double value = 0;
  void clear() { value = 0; }
  void add(const Number& other) { value += other.value; }
  template <typename Visit>
  void for_each_part(const Visit& visit) {
    visit(std::span(&value, 1));
  }
};

double sum_of_lanes(Index lanes, int threads, Ranks* ranks, Index bad_lane = -1) {
  engine::LanePlan plan(1 << 14, 1);
  plan.lanes = lanes;
  engine::Workers workers(threads, ranks);
  return engine::sum_lanes<Number>(
             plan, workers, 1e9, {}, [] { return Number{}; },
             [&](int, Index lane, Number& number) {
               if (lane == bad_lane) throw Error(Fault::kData, "bad lane");
               number.value = std::sin(static_cast<double>(lane + 1)) * std::pow(10.0, lane % 17);
               return true;
             })
      ->value;
}

TEST(LanesOfRanks, AreSummedByTheSameTree) {
  for (const Index lanes : {1, 2, 8, 64}) {
    const double expected = sum_of_lanes(lanes, 1, nullptr);
    for (const int count : {2, 3, 4, 5, 7, 8, 13, 64, 70}) {
      for (const auto& own : on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
             return sum_of_lanes(lanes, 1 + count % 2, ranks.get());
           })) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(*own.result), std::bit_cast<std::uint64_t>(expected))
            << lanes << " lanes, " << count << " ranks";
      }
    }
  }
}

TEST(LanesOfRanks, AnErrorInOneLaneIsAnErrorOnAll) {
  for (const int count : {2, 3, 8, 11}) {
    for (const auto& own :
         on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) { return sum_of_lanes(8, 2, ranks.get(), 5); })) {
      EXPECT_NE(own.error.find("bad lane"), std::string::npos) << own.error;
    }
  }
}

Matrix<double> samples_to_learn(double noise) {
  return Synthetic({.dimension = 12, .samples = 3000, .theta = 0.2, .noise = noise, .seed = 5}).samples().transpose();
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.dictionary, b.dictionary);
  EXPECT_EQ(a.analysis, b.analysis);
  EXPECT_EQ(a.confidence, b.confidence);
  EXPECT_EQ(a.metadata, b.metadata);
}

std::vector<Options> courses() {
  const Options complete{.stretch = "l3",
                         .dictionary = Dictionary::kComplete,
                         .center = true,
                         .precision = Precision::kMixed,
                         .tolerance = 1e-4};
  Options accelerated = complete;
  accelerated.stretch = "logcosh";
  accelerated.accelerate = true;
  return {Options{}, Options{.stretch = "l4"}, complete, accelerated};
}

class FitOnRanks : public testing::TestWithParam<std::size_t> {
 protected:
  const Options course_ = courses()[GetParam()];
};

TEST_P(FitOnRanks, GivesTheSameBits) {
  for (const double noise : {0.0, 0.1}) {
    const Matrix<double> y = samples_to_learn(noise);
    const auto samples = samples_in_columns(y);
    const FitResult alone = fit(*samples, course_);
    for (const int count : {2, 3, 8}) {
      const auto results = on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
        Options options = course_;
        options.ranks = ranks;
        options.threads = 1 + ranks->rank() % 2;
        return fit(*samples, options);
      });
      for (const auto& own : results) {
        ASSERT_TRUE(own.result) << own.error;
        expect_same(own.result->model, alone.model);
        EXPECT_EQ(own.result->summary.ranks, count);
        EXPECT_GT(own.result->summary.bytes_sent, 0u);
      }
    }
  }
}

TEST_P(FitOnRanks, TakesSamplesThatLieApart) {
  const Matrix<double> y = samples_to_learn(0.1);
  const FitResult alone = fit(*samples_in_columns(y), course_);
  for (const std::vector<Index>& ends : {std::vector<Index>{1500, 3000}, {0, 2990, 3000}, {700, 701, 2100, 3000}}) {
    const auto results = on_ranks(static_cast<int>(ends.size()), [&](const std::shared_ptr<Ranks>& ranks) {
      const auto rank = static_cast<std::size_t>(ranks->rank());
      const Index first = rank == 0 ? 0 : ends[rank - 1];
      const Matrix<double> part = y.middleCols(first, ends[rank] - first);
      const auto own = samples_in_columns(part);
      const auto all = samples_of_ranks(*own, *ranks);
      Options options = course_;
      options.ranks = ranks;
      return fit(*all, options);
    });
    for (const auto& own : results) {
      ASSERT_TRUE(own.result) << own.error;
      expect_same(own.result->model, alone.model);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, FitOnRanks, testing::Range<std::size_t>(0, courses().size()));

// The cost model of docs/scale.md, to the byte.
TEST(Ranks, SendWhatTheModelSays) {
  const Index n = 12;
  const Matrix<double> y = samples_to_learn(0);
  const auto samples = samples_in_columns(y);
  for (const int count : {2, 4, 8}) {
    const auto rounds = static_cast<std::uint64_t>(std::log2(count));
    const auto sent_by = [&](int iterations) {
      const auto results = on_ranks(count, [&](const std::shared_ptr<Ranks>& ranks) {
        return fit(*samples, {.stretch = "l4", .max_iterations = iterations, .tolerance = 0, .ranks = ranks});
      });
      for (const auto& own : results) EXPECT_EQ(own.result->summary.bytes_sent, results[0].result->summary.bytes_sent);
      return results[0].result->summary.bytes_sent;
    };
    // The correlation, three sums for each atom, and how it ended; then a hash, and two questions.
    const std::uint64_t per_pass = 8 * (n * n + 3 * n + 1) * rounds + 8 + 2 * 8 * rounds;
    EXPECT_EQ(sent_by(7) - sent_by(4), 3 * per_pass);
  }
}

TEST(Ranks, EndTogether) {
  const Matrix<double> y = samples_to_learn(0.1);
  const auto samples = samples_in_columns(y);
  const auto run = [&](const std::function<void(int rank, Options*)>& change) {
    return on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) {
      Options options{.stretch = "l4", .max_iterations = 1000000, .tolerance = 0, .ranks = ranks};
      change(ranks->rank(), &options);
      return fit(*samples, options);
    });
  };
  const auto expect_end = [](const auto& results, Termination termination) {
    for (const auto& own : results) {
      ASSERT_TRUE(own.result) << own.error;
      EXPECT_EQ(own.result->summary.termination, termination);
      EXPECT_EQ(own.result->summary.iterations, results[0].result->summary.iterations);
      expect_same(own.result->model, results[0].result->model);
    }
  };
  expect_end(run([](int, Options* o) { o->time_limit = 1e-3; }), Termination::kTimeLimit);
  expect_end(run([](int rank, Options* o) {
               if (rank == 1) o->callback = [](const Iterate& iterate) { return iterate.record().iteration == 5; };
             }),
             Termination::kStopped);
  std::stop_source stop;
  expect_end(run([&](int rank, Options* o) {
               if (rank == 2) o->stop = stop.get_token();
               if (rank == 0) {
                 o->callback = [&](const Iterate& iterate) {
                   if (iterate.record().iteration == 5) stop.request_stop();
                   return false;
                 };
               }
             }),
             Termination::kStopped);
  // A rank that has no lanes stops the others too, while a part is explored or copied.
  std::stop_source other;
  const auto with_auto = on_ranks(11, [&](const std::shared_ptr<Ranks>& ranks) {
    Options options{.ranks = ranks};
    if (ranks->rank() == 10) options.stop = other.get_token();
    if (ranks->rank() == 0) {
      options.callback = [&](const Iterate& iterate) {
        if (iterate.record().iteration == 2) other.request_stop();
        return false;
      };
    }
    return fit(*samples, options);
  });
  expect_end(with_auto, Termination::kStopped);
  for (const auto& own : run([](int rank, Options*o) {
         if (rank == 1) o->callback = [](const Iterate&) -> bool { throw Error(Fault::kData, "had enough"); };
       })) {
    EXPECT_NE(own.error.find("had enough"), std::string::npos) << own.error;
  }
}

// A rank whose sums come out slightly different, as on a processor of another kind.
class RoundingRanks final : public Ranks {
 public:
  explicit RoundingRanks(std::shared_ptr<Ranks> ranks) : ranks_(std::move(ranks)) {}
  [[nodiscard]] int count() const override { return ranks_->count(); }
  [[nodiscard]] int rank() const override { return ranks_->rank(); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    ranks_->exchange(out, in);
    for (const Incoming& message : in) {
      if (message.data.size() > 1000 && ++sums_ == 3) message.data[804] ^= std::byte{1};
    }
  }

 private:
  std::shared_ptr<Ranks> ranks_;
  int sums_ = 0;
};

TEST(Ranks, NoticeThatTheyRoundDifferently) {
  const Matrix<double> y = samples_to_learn(0.1);
  const auto samples = samples_in_columns(y);
  for (const auto& own : on_ranks(2, [&](const std::shared_ptr<Ranks>& ranks) {
         Options options{.stretch = "l4", .ranks = ranks};
         if (ranks->rank() == 1) options.ranks = std::make_shared<RoundingRanks>(ranks);
         return fit(*samples, options);
       })) {
    EXPECT_NE(own.error.find("different iterates"), std::string::npos) << own.error;
  }
}

// Samples that can't be read from some index on.
class BrokenSamples final : public Samples {
 public:
  BrokenSamples(const Matrix<double>& y, Index end) : all_(samples_in_columns(y)), end_(end) {}
  [[nodiscard]] Index dimension() const override { return all_->dimension(); }
  [[nodiscard]] Index size() const override { return all_->size(); }
  [[nodiscard]] const std::string& name() const override { return all_->name(); }
  Block<float> block(Index first, Index count, float* scratch) const override { return read(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return read(first, count, scratch); }

 private:
  template <typename Scalar>
  Block<Scalar> read(Index first, Index count, Scalar* scratch) const {
    if (reads_++ > 40 && first + count > end_) throw Error(Fault::kData, "the disk is gone");
    return all_->block(first, count, scratch);
  }
  std::unique_ptr<Samples> all_;
  Index end_;
  mutable std::atomic<int> reads_ = 0;
};

TEST(Ranks, FailTogetherWhenOneCannotRead) {
  const Matrix<double> y = samples_to_learn(0.1);
  for (const std::optional<std::string>& stretch : {std::optional<std::string>(), std::optional<std::string>("l4")}) {
    for (const bool apart : {false, true}) {
      for (const auto& own : on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) {
             const Matrix<double> part = y.middleCols(1000 * ranks->rank(), 1000);
             const BrokenSamples broken(apart ? part : y, apart && ranks->rank() < 2 ? 1000 : 900);
             const auto of_all = apart ? samples_of_ranks(broken, *ranks) : nullptr;
             const Samples& all = apart ? *of_all : static_cast<const Samples&>(broken);
             return fit(all, {.stretch = stretch, .ranks = ranks});
           })) {
        EXPECT_NE(own.error.find("the disk is gone"), std::string::npos) << own.error;
      }
    }
  }
}

// Invalid options on one rank are an Error on all, before anything else is sent.
TEST(Ranks, HearOfBadOptionsOfOne) {
  const Matrix<double> y = samples_to_learn(0);
  const auto samples = samples_in_columns(y);
  const auto results = on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) {
    return fit(*samples, {.tolerance = ranks->rank() == 1 ? -1.0 : 0.0, .ranks = ranks});
  });
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    EXPECT_EQ(results[rank].error.rfind(rank == 1 ? "tolerance = -1" : "rank 1: tolerance = -1", 0), 0U)
        << results[rank].error;
  }
}

TEST(Ranks, SayWhoseSampleIsBad) {
  Matrix<double> y = samples_to_learn(0);
  y(3, 1503) = std::numeric_limits<double>::infinity();
  for (const auto& own : on_ranks(2, [&](const std::shared_ptr<Ranks>& ranks) {
         const Matrix<double> part = y.middleCols(1500 * ranks->rank(), 1500);
         const auto held = samples_in_columns(part);
         return fit(*samples_of_ranks(*held, *ranks), {.ranks = ranks});
       })) {
    EXPECT_EQ(own.error.rfind("samples of rank 1: sample 3, feature 3 is inf", 0), 0U) << own.error;
  }
}

TEST(Ranks, FindBadDataAndDifferencesTogether) {
  Matrix<double> y = samples_to_learn(0);
  y(3, 2500) = std::numeric_limits<double>::quiet_NaN();
  for (const bool center : {false, true}) {
    for (const auto& own : on_ranks(4, [&](const std::shared_ptr<Ranks>& ranks) {
           return fit(*samples_in_columns(y), {.stretch = "l4", .center = center, .ranks = ranks});
         })) {
      EXPECT_NE(own.error.find("sample 2500, feature 3 is nan"), std::string::npos) << own.error;
    }
  }
  const Matrix<double> good = samples_to_learn(0);
  const auto samples = samples_in_columns(good);
  const std::vector<std::function<void(Options*)>> differences = {
      [](Options* o) { o->seed = 1; },           [](Options* o) { o->stretch = "l3"; },
      [](Options* o) { o->remove_bias = true; }, [](Options* o) { o->time_limit = 100; },
      [](Options* o) { o->tolerance = 1e-3; },   [](Options* o) { o->init = Initialization::kIdentity; },
      [](Options* o) { o->stretch.reset(); },
  };
  for (std::size_t which = 0; which < differences.size(); ++which) {
    for (const auto& own : on_ranks(2, [&](const std::shared_ptr<Ranks>& ranks) {
           Options options{.stretch = "l4", .ranks = ranks};
           if (ranks->rank() == 1) differences[which](&options);
           return fit(*samples, options);
         })) {
      EXPECT_NE(own.error.find("the same options"), std::string::npos) << which << ": " << own.error;
    }
  }
  for (const auto& own : on_ranks(2, [&](const std::shared_ptr<Ranks>& ranks) {
         const Matrix<double> part = good.leftCols(1000 + ranks->rank());
         return fit(*samples_in_columns(part), {.stretch = "l4", .ranks = ranks});
       })) {
    EXPECT_NE(own.error.find("same options and samples"), std::string::npos) << own.error;
  }
  for (const auto& own : on_ranks(2, [&](const std::shared_ptr<Ranks>& ranks) {
         const Matrix<double> part = good.topLeftCorner(10 + ranks->rank(), 1000);
         const auto held = samples_in_columns(part);
         return samples_of_ranks(*held, *ranks)->size();
       })) {
    EXPECT_NE(own.error.find("have 11 features, but those of rank 0 have 10"), std::string::npos) << own.error;
  }
}

}  // namespace
}  // namespace orthodict
