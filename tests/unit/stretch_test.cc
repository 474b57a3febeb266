// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stretch.h"

#include <gtest/gtest.h>

#include "support.h"

namespace orthodict {
namespace {

class EveryStretch : public testing::TestWithParam<const char*> {};

TEST_P(EveryStretch, SatisfiesItsIdentities) { EXPECT_EQ(check_stretch(*make_stretch(GetParam())), ""); }

TEST_P(EveryStretch, IsFoundAgainByItsName) {
  const auto stretch = make_stretch(GetParam());
  const auto again = make_stretch(stretch->name());
  EXPECT_EQ(again->name(), stretch->name());
  for (const double z : {-2.5, -0.3, 0.7, 1.9}) EXPECT_EQ(again->derivative(z), stretch->derivative(z));
}

// One-sided differences close to each kink, where the grid of check_stretch() may not reach.
TEST_P(EveryStretch, HasTheDerivativeOfItsValueOnBothSidesOfAKink) {
  const auto f = make_stretch(GetParam());
  const double h = 1e-6;
  for (const double kink : {0.0, 0.4, 0.75, 1.0}) {
    for (const double z : {kink - 1e-3, kink + 1e-3}) {
      const double difference = (f->value(z + h) - f->value(z - h)) / (2 * h);
      // h²|φ'''|/6 + ε|φ|/h, with |φ'''| ≤ 10·9·8 and |φ| ≤ 2 for the orders tested.
      EXPECT_NEAR(f->derivative(z), difference, 1e-8) << f->name() << " at " << z;
      const double second = (f->derivative(z + h) - f->derivative(z - h)) / (2 * h);
      EXPECT_NEAR(f->second_derivative(z), second, 1e-7 * (1 + std::abs(second))) << f->name() << " at " << z;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryStretch,
                         testing::Values("l4", "l3", "power:4", "power:6", "power:8", "power:10", "power:12",
                                         "power:2.5", "power:3.7", "soft", "soft:0.4", "soft:0", "hard", "hard:0.75",
                                         "logcosh"));

TEST(Stretch, PowersAreThoseOfThePaper) {
  const auto l4 = make_stretch("l4");
  EXPECT_DOUBLE_EQ(l4->value(-1.5), std::pow(1.5, 4));
  EXPECT_DOUBLE_EQ(l4->derivative(-1.5), -4 * std::pow(1.5, 3));
  EXPECT_DOUBLE_EQ(l4->second_derivative(-1.5), 12 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ(make_stretch("power:7")->derivative(2), 7 * 64.0);
}

TEST(Stretch, BadNamesAreErrorsThatNameThem) {
  for (const char* name : {"", "l5", "l4:2", "power", "power:2", "power:1.5", "power:", "power:x", "power:inf",
                           "power:nan", "soft:-0.1", "soft:", "hard:-1", "hard:1x", "logcosh:1", "SOFT"}) {
    const auto [fault, message] = test::error_of([&] { (void)make_stretch(name); });
    EXPECT_EQ(fault, Fault::kOption) << name;
    EXPECT_NE(message.find("stretch = " + std::string(name)), std::string::npos) << message;
  }
}

// A stretch of the user's own, with the scalar functions only.
class Huberised : public Stretch {
 public:
  explicit Huberised(double slope) : slope_(slope) {}
  [[nodiscard]] std::string name() const override { return "huberised"; }
  [[nodiscard]] double value(double z) const override { return slope_ * z * z / 2; }
  [[nodiscard]] double derivative(double z) const override { return z; }
  [[nodiscard]] double second_derivative(double) const override { return 1; }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return true; }

 private:
  double slope_;
};

TEST(Stretch, SelfCheckFindsAWrongDerivative) {
  EXPECT_EQ(check_stretch(Huberised(1.0)), "");
  EXPECT_NE(check_stretch(Huberised(1.01)), "");
}

}  // namespace
}  // namespace orthodict
