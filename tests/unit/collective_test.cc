// SPDX-License-Identifier: Apache-2.0
// Errors on one rank, and samples that belong to another rank.
#include "engine/collective.h"

#include <functional>
#include <new>
#include <stdexcept>

#include "support.h"
#include "thread_ranks.h"

namespace orthodict {
namespace {

using engine::Collective;

// The messages on three ranks of an exception on the second, which itself rethrows the original exception.
std::vector<std::string> heard(const std::function<void()>& fail) {
  std::vector<std::string> messages;
  for (const auto& own : test::on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) -> std::string {
         try {
           Collective(ranks.get()).together([&] {
             if (ranks->rank() == 1) fail();
           });
         } catch (const Error& error) {
           return error.what();
         } catch (...) {
           return ranks->rank() == 1 ? "its own" : "not an Error";
         }
         return "nothing";
       })) {
    messages.push_back(own.result.value_or(own.error));
  }
  return messages;
}

TEST(Collective, ExceptionsOfEveryKindTravel) {
  using Messages = std::vector<std::string>;
  EXPECT_EQ(heard([] { throw Error(Fault::kOption, "bad"); }), (Messages{"rank 1: bad", "bad", "rank 1: bad"}));
  EXPECT_EQ(heard([] { throw std::bad_alloc(); }),
            (Messages{"rank 1: not enough memory", "its own", "rank 1: not enough memory"}));
  EXPECT_EQ(heard([] { throw std::runtime_error("odd"); }), (Messages{"rank 1: odd", "its own", "rank 1: odd"}));
  EXPECT_EQ(heard([] { throw 7; }), (Messages{"rank 1: an unknown error", "its own", "rank 1: an unknown error"}));
  EXPECT_EQ(heard([] { throw Error(Fault::kData, std::string(5000, 'x')); })[0], "rank 1: " + std::string(1000, 'x'));
}

TEST(Collective, AsksRanksThatAreAlike) {
  for (const bool answer : {false, true}) {
    for (const auto& own : test::on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) {
           Collective collective(ranks.get());
           collective.require_equal(5, "other options");
           return collective.any_if_equal(7, "other options", [&] { return answer && ranks->rank() == 2; });
         })) {
      EXPECT_EQ(own.result, answer) << own.error;
    }
  }
}

// 2000 samples are divided into lanes of whole grains; each rank has only half of the lanes.
TEST(SamplesOfRanks, AreAtHandWhereTheyArePassedOver) {
  for (const auto& own : test::on_ranks(2, [](const std::shared_ptr<Ranks>& ranks) {
         const Matrix<double> part = test::random_gaussian(3, 1000, static_cast<std::uint64_t>(ranks->rank()));
         const auto local = samples_in_columns(part);
         const auto all = samples_of_ranks(*local, *ranks);
         EXPECT_EQ(all->size(), 2000);
         Vector<double> scratch(3);
         const Index near = ranks->rank() == 0 ? 0 : 1999, far = 1999 - near;
         EXPECT_NO_THROW((void)all->block(near, 1, scratch.data()));
         return test::error_of([&] { (void)all->block(far, 1, scratch.data()); }).second;
       })) {
    EXPECT_NE(own.result.value_or(own.error).find("belong to another rank"), std::string::npos) << own.error;
  }
}

}  // namespace
}  // namespace orthodict
