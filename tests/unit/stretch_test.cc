// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stretch.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "simd_targets.h"
#include "stretch/built_in.h"
#include "stretches.h"
#include "support.h"

namespace orthodict {
namespace {

class EveryStretch : public testing::TestWithParam<const char*> {};

TEST_P(EveryStretch, SatisfiesItsIdentitiesOnEveryKindOfVector) {
  test::for_each_simd_target(
      [](const std::string& target) { EXPECT_EQ(check_stretch(*make_stretch(GetParam())), "") << target; });
}

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

INSTANTIATE_TEST_SUITE_P(, EveryStretch, testing::ValuesIn(test::stretch_examples()));

TEST(StretchNames, AreThoseOfTheTable) {
  const std::vector<StretchName> names = stretch_names();
  ASSERT_EQ(names.size(), stretch::built_in_stretches().size());
  EXPECT_EQ(names[3].name, "soft[:MU]");
  for (const StretchName& name : names) EXPECT_FALSE(name.help.empty()) << name.name;
  for (const stretch::BuiltIn& row : stretch::built_in_stretches()) EXPECT_NE(row.examples[0], nullptr) << row.name;
}

// φ' against Bayes' rule: the mean of the coefficient's signal part, weighted by how likely it is to be signal.
TEST(Stretch, MixtureIsThePosteriorMean) {
  const double theta = 0.3, s0 = 0.2, s1 = 1.7;
  const auto f = make_stretch("mixture:0.3,0.2,1.7");
  const auto density = [](double z, double s) { return std::exp(-z * z / (2 * s * s)) / s; };
  for (const double z : {-3.0, -0.5, 0.01, 0.3, 0.6, 1.0, 4.0}) {
    const double signal = theta * density(z, s1), noise = (1 - theta) * density(z, s0);
    EXPECT_NEAR(f->derivative(z), z * signal / (signal + noise) * (1 - s0 * s0 / (s1 * s1)), 1e-14 * std::abs(z));
  }
  // Far out, where e^(−u) underflows, the coefficient is signal for sure.
  const auto sharp = make_stretch("mixture:0.3,1e-6,1");
  EXPECT_DOUBLE_EQ(sharp->derivative(2), 2 * (1 - 1e-12));
  EXPECT_EQ(sharp->derivative(0), 0);
}

TEST(Stretch, PowersAreThoseOfThePaper) {
  const auto l4 = make_stretch("l4");
  EXPECT_DOUBLE_EQ(l4->value(-1.5), std::pow(1.5, 4));
  EXPECT_DOUBLE_EQ(l4->derivative(-1.5), -4 * std::pow(1.5, 3));
  EXPECT_DOUBLE_EQ(l4->second_derivative(-1.5), 12 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ(make_stretch("power:7")->derivative(2), 7 * 64.0);
}

// Against libm, over the range that coefficients have: rows that fill vectors and a rest that doesn't.
TEST(Stretch, FormulasAreAccurateToAFewUnitsInTheLastPlace) {
  std::vector<double> z;
  for (double x = 1e-8; x < 1e3; x *= 1.01) z.push_back(z.size() % 2 == 0 ? x : -x);
  const auto rows = static_cast<Index>(z.size());
  const auto expect = [&](const char* name, auto phi, auto derivative) {
    test::for_each_simd_target([&](const std::string& target) {
      std::vector<double> got = z, sums(3 * z.size());
      make_stretch(name)->apply(got.data(), rows, 1, {sums.data(), sums.data() + rows, sums.data() + 2 * rows});
      for (std::size_t i = 0; i < z.size(); ++i) {
        EXPECT_NEAR(got[i], derivative(z[i]), 64 * 2.3e-16 * std::abs(derivative(z[i]))) << name << " at " << z[i];
        EXPECT_NEAR(sums[i], phi(z[i]), 64 * 2.3e-16 * std::abs(phi(z[i]))) << target << ", " << name << " at " << z[i];
      }
    });
  };
  expect(
      "power:3.7", [](double x) { return std::pow(std::abs(x), 3.7); },
      [](double x) { return std::copysign(3.7 * std::pow(std::abs(x), 2.7), x); });
  // log cosh as log1p(2 sinh²(z/2)), which doesn't cancel; beyond 20 it is |z| − log 2 to all digits.
  expect(
      "logcosh",
      [](double x) {
        const double s = std::sinh(x / 2);
        return std::abs(x) > 20 ? std::abs(x) - std::log(2) : std::log1p(2 * s * s);
      },
      [](double x) { return std::tanh(x); });
}

TEST(Stretch, LargePowersAreInfiniteAndNeverWrapAround) {
  test::for_each_simd_target([](const std::string& target) {
    const auto stretch = make_stretch("power:200");
    for (const float z : {2.0F, 3.0F, 50.0F, 1e10F, 1e30F}) {
      std::array<float, 40> block;
      block.fill(z);
      std::array<float, 120> sums{};
      stretch->apply(block.data(), 40, 1, {sums.data(), sums.data() + 40, sums.data() + 80});
      for (const float derivative : block) EXPECT_TRUE(std::isinf(derivative)) << target << " at " << z;
    }
    EXPECT_TRUE(std::isinf(stretch->derivative(1e3))) << target;
    EXPECT_TRUE(std::isinf(stretch->derivative(1e200))) << target;
  });
}

TEST(Stretch, BadNamesAreErrorsThatNameThem) {
  for (const char* name : {"", "l5", "l4:2", "power", "power:2", "power:1.5", "power:", "power:x", "power:inf",
                           "power:nan", "soft:-0.1", "soft:", "hard:-1", "hard:1x", "logcosh:1", "SOFT"}) {
    const auto [fault, message] = test::error_of([&] { (void)make_stretch(name); });
    EXPECT_EQ(fault, Fault::kOption) << name;
    EXPECT_NE(message.find("stretch = " + std::string(name)), std::string::npos) << message;
  }
}

// φ = ½z², and one broken stretch for each identity. A user's own stretch needs no more than these functions.
class Square : public Stretch {
 public:
  [[nodiscard]] std::string name() const override { return "square"; }
  [[nodiscard]] double value(double z) const override { return z * z / 2; }
  [[nodiscard]] double derivative(double z) const override { return z; }
  [[nodiscard]] double second_derivative(double) const override { return 1; }
  [[nodiscard]] std::optional<double> degree() const override { return 2; }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return true; }
};
struct NotZeroAtZero : Square {
  [[nodiscard]] double value(double z) const override { return z * z / 2 + 1; }
};
struct NotEven : Square {
  [[nodiscard]] double value(double z) const override { return z * z / 2 + 1e-3 * z; }
};
struct WrongDerivative : Square {
  [[nodiscard]] double value(double z) const override { return 1.01 * z * z / 2; }
};
struct WrongCurvature : Square {
  [[nodiscard]] double second_derivative(double) const override { return 1.01; }
};
struct WrongDegree : Square {
  [[nodiscard]] std::optional<double> degree() const override { return 3; }
};
struct NotConvex : Square {
  [[nodiscard]] double value(double z) const override { return -z * z / 2; }
  [[nodiscard]] double derivative(double z) const override { return -z; }
  [[nodiscard]] double second_derivative(double) const override { return -1; }
};
struct NotSmooth : Square {
  [[nodiscard]] double value(double z) const override { return std::max(z * z - 1, 0.0) / 2; }
  [[nodiscard]] double derivative(double z) const override { return std::abs(z) > 1 ? z : 0; }
  [[nodiscard]] double second_derivative(double z) const override { return std::abs(z) > 1 ? 1 : 0; }
  [[nodiscard]] std::optional<double> degree() const override { return std::nullopt; }
};
struct ForgetsTheSecondColumn : Square {
  void apply(double* z, Index atoms, Index, const StretchSums<double>& sums) const override {
    Stretch::apply(z, atoms, 1, sums);
  }
};
struct AssignsInsteadOfAdding : Square {
  void apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const override {
    std::fill(sums.value, sums.value + atoms, 0.0F);
    Stretch::apply(z, atoms, count, sums);
  }
};

TEST(Stretch, SelfCheckFindsEveryBrokenIdentity) {
  EXPECT_EQ(check_stretch(Square()), "");
  EXPECT_NE(check_stretch(NotZeroAtZero()), "");
  EXPECT_NE(check_stretch(NotEven()), "");
  EXPECT_NE(check_stretch(WrongDerivative()), "");
  EXPECT_NE(check_stretch(WrongCurvature()), "");
  EXPECT_NE(check_stretch(WrongDegree()), "");
  EXPECT_NE(check_stretch(NotConvex()), "");
  EXPECT_NE(check_stretch(NotSmooth()), "");
  EXPECT_NE(check_stretch(ForgetsTheSecondColumn()), "");
  EXPECT_NE(check_stretch(AssignsInsteadOfAdding()), "");
}

// A number in a name is the shortest that reads back as itself.
TEST(Factories, GiveWhatTheirNamesDo) {
  const double third = 1.0 / 3;
  for (const auto& made : {stretch::soft(third), stretch::hard(1e-7 * third), stretch::power(2 + third),
                           stretch::power(4), stretch::log_cosh(), stretch::mixture(third, third / 1e5, 4 * third)}) {
    const auto named = make_stretch(made->name());
    EXPECT_EQ(named->name(), made->name());
    for (const double z : {-2.0, -1e-8, 0.1, third, 5.0}) {
      EXPECT_EQ(named->value(z), made->value(z)) << made->name();
      EXPECT_EQ(named->derivative(z), made->derivative(z)) << made->name();
    }
  }
}

TEST(Factories, RefuseNumbersOutOfRange) {
  const double nan = std::nan(""), infinite = HUGE_VAL;
  for (const double bad : {-1.0, nan, infinite}) {
    EXPECT_THROW((void)stretch::soft(bad), Error);
    EXPECT_THROW((void)stretch::hard(bad), Error);
    EXPECT_THROW((void)stretch::power(bad), Error);
    EXPECT_THROW((void)stretch::mixture(bad, 0.1, 1), Error);
    EXPECT_THROW((void)stretch::mixture(0.5, bad, 1), Error);
    EXPECT_THROW((void)stretch::mixture(0.5, 0.1, bad), Error);
  }
}

TEST(Stretch, IsMadeOfThreeFunctions) {
  const auto value = [](double z) { return z * z * z * z; };
  const auto derivative = [](double z) { return 4 * z * z * z; };
  const auto curvature = [](double z) { return 12 * z * z; };
  const auto quartic =
      make_stretch("quartic", value, derivative, curvature, {.degree = 4, .is_convex = true, .is_smooth = true});
  EXPECT_EQ(quartic->name(), "quartic");
  EXPECT_EQ(quartic->value(3), 81);
  EXPECT_EQ(quartic->derivative(-2), -32);
  EXPECT_EQ(quartic->second_derivative(2), 48);
  EXPECT_EQ(quartic->degree(), 4);
  EXPECT_TRUE(quartic->is_convex() && quartic->is_smooth());
  const auto plain = make_stretch("plain", value, derivative, curvature);
  EXPECT_FALSE(plain->degree() || plain->is_convex() || plain->is_smooth() || plain->is_subquadratic());
  EXPECT_TRUE(make_stretch(
                  "abs", [](double z) { return std::sqrt(1 + z * z) - 1; },
                  [](double z) { return z / std::sqrt(1 + z * z); }, [](double z) { return std::pow(1 + z * z, -1.5); },
                  {.is_subquadratic = true})
                  ->is_subquadratic());

  const auto refusal = [&](const std::function<double(double)>& slope, const StretchTraits& traits) {
    const auto [fault, message] = test::error_of([&] { (void)make_stretch("odd", value, slope, curvature, traits); });
    EXPECT_EQ(fault, Fault::kOption);
    return message;
  };
  EXPECT_NE(refusal([](double z) { return 3 * z * z * z; }, {}).find("stretch odd: φ'"), std::string::npos);
  EXPECT_NE(refusal(derivative, {.degree = 3}).find("isn't of degree 3"), std::string::npos);
  EXPECT_NE(refusal(nullptr, {}).find("stretch = odd"), std::string::npos);
}

TEST(Stretch, OfThreeFunctionsIsLearnedWith) {
  const Synthetic data({.dimension = 8, .samples = 2000, .seed = 2});
  Options options = test::msp();
  const FitResult known = fit(data.samples(), options);
  options.custom_stretch = make_stretch(
      "quartic", [](double z) { return z * z * z * z; }, [](double z) { return 4 * z * z * z; },
      [](double z) { return 12 * z * z; }, {.degree = 4, .is_convex = true, .is_smooth = true});
  const FitResult own = fit(data.samples(), options);
  EXPECT_EQ(own.summary.stretch, "quartic");
  EXPECT_LE((own.model.dictionary - known.model.dictionary).norm(), 1e-4);
}

}  // namespace
}  // namespace orthodict
