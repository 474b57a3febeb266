// SPDX-License-Identifier: Apache-2.0
// The precision that a fit chooses, or is given, and its effect.
#include <gtest/gtest.h>

#include <cstdint>

#include "support.h"

namespace orthodict {
namespace {

TEST(Precision, IsMixedWhereThatLosesNothing) {
  const Matrix<double> y = test::sparse_samples(10, 3000);
  const Matrix<float> single = y.cast<float>();
  Options options = test::msp();
  EXPECT_EQ(test::fit_columns(y, options).summary.precision, Precision::kF64);
  const FitResult mixed = fit(*samples_in_columns(single), options);
  EXPECT_EQ(mixed.summary.precision, Precision::kMixed);
  options.precision = Precision::kF64;
  const FitResult exact = fit(*samples_in_columns(single), options);
  // Both stop within the tolerance of the same fixed point.
  EXPECT_LE((mixed.model.dictionary - exact.model.dictionary).norm(), 10 * exact.summary.tolerance);
  // The projection is in double.
  const Matrix<double> gram = mixed.model.dictionary * mixed.model.dictionary.transpose();
  EXPECT_LE((gram - test::identity(10)).norm(), 100 * std::numeric_limits<double>::epsilon());

  options.precision.reset();
  options.tolerance = 1e-9;  // more than single precision resolves
  EXPECT_EQ(fit(*samples_in_columns(single), options).summary.precision, Precision::kF64);
}

TEST(Precision, IsDoubleWhereAMeanOrAPowerIsTooMuchForSingle) {
  const Matrix<float> y = test::sparse_samples(10, 3000).cast<float>();
  const Matrix<float> shifted = y.array() + 100;
  Options options = test::msp();
  options.max_iterations = 5;
  EXPECT_EQ(fit(*samples_in_columns(shifted), options).summary.precision, Precision::kF64);
  options.center = true;
  EXPECT_EQ(fit(*samples_in_columns(shifted), options).summary.precision, Precision::kF64);
  options.stretch = "power:60";
  EXPECT_EQ(fit(*samples_in_columns(y), options).summary.precision, Precision::kF64);
  const Matrix<double> far_off = y.cast<double>().array() + 1e6;
  options.precision = Precision::kMixed;
  EXPECT_EQ(test::fit_columns(far_off, options).summary.precision, Precision::kF64);
  options.precision = Precision::kF32;
  EXPECT_EQ(test::error_of([&] { (void)test::fit_columns(far_off, options); }).first, Fault::kOption);
}

TEST(Precision, OfMethodAutoIsMixedUnlessAskedOtherwise) {
  const Matrix<double> y = test::sparse_samples(10, 3000);
  const FitResult unset = test::fit_columns(y, {});
  Options options;
  options.precision = Precision::kMixed;
  const FitResult mixed = test::fit_columns(y, options);
  EXPECT_EQ(mixed.summary.precision, Precision::kF64);
  EXPECT_EQ(mixed.model.dictionary, unset.model.dictionary);
}

TEST(Precision, RefusesToBeSingleForValuesBeyondIt) {
  for (const double scale : {1e-35, 1e35}) {
    const Matrix<double> y = scale * test::sparse_samples(10, 3000);
    const Matrix<float> single = y.cast<float>();
    Options options = test::msp();
    EXPECT_EQ(fit(*samples_in_columns(single), options).summary.precision, Precision::kF64);
    options.precision = Precision::kMixed;
    EXPECT_EQ(test::fit_columns(y, options).summary.precision, Precision::kF64);
    options.precision = Precision::kF32;
    const auto [fault, message] = test::error_of([&] { (void)test::fit_columns(y, options); });
    EXPECT_EQ(fault, Fault::kOption);
    EXPECT_NE(message.find("precision"), std::string::npos) << message;
  }
}

TEST(Precision, ConvergesWhenSingleAndTheMeanIsLarge) {
  Matrix<double> y = test::sparse_samples(10, 4000);
  y.array() += 1000;
  Options options = test::msp();
  options.center = true;
  options.precision = Precision::kF32;
  EXPECT_EQ(test::fit_columns(y, options).summary.termination, Termination::kConverged);
}

// Integers up to 255 are exact in every type.
TEST(Precision, GivesTheSameForSamplesOfEveryType) {
  const Index n = 9, p = 2000, stride = 12;
  const Matrix<double> noise = test::sparse_samples(n, p);
  Matrix<double> y = Matrix<double>::Zero(stride, p);
  y.topRows(n) = (128 + 20 * noise.array()).max(0).min(255).round();
  const Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> u8 = y.cast<std::uint8_t>();
  const Eigen::Matrix<std::int16_t, Eigen::Dynamic, Eigen::Dynamic> i16 = y.cast<std::int16_t>();
  const Matrix<float> f32 = y.cast<float>();
  Options options = test::msp();
  options.center = true;
  options.whiten = Whitening::kZca;
  for (const Precision precision : {Precision::kF64, Precision::kMixed}) {
    options.precision = precision;
    const RowMatrix<double> expected = fit(*view_samples(y.data(), n, p, stride), options).model.dictionary;
    EXPECT_EQ(fit(*view_samples(f32.data(), n, p, stride), options).model.dictionary, expected);
    EXPECT_EQ(fit(*view_samples(u8.data(), n, p, stride), options).model.dictionary, expected);
    EXPECT_EQ(fit(*view_samples(i16.data(), n, p, stride), options).model.dictionary, expected);
  }
}

}  // namespace
}  // namespace orthodict
