// SPDX-License-Identifier: Apache-2.0
#include "orthodict/synthetic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "support.h"

namespace orthodict {
namespace {

TEST(Synthetic, CoefficientsAreBernoulliGaussian) {
  SyntheticOptions options;
  options.dimension = 20;
  options.samples = 20000;
  options.theta = 0.25;
  options.dictionary = RowMatrix<double>::Identity(20, 20);
  const Matrix<double> x = Synthetic(options).samples().transpose();
  const double count = static_cast<double>(x.size());
  const double share = static_cast<double>((x.array() != 0).count()) / count;
  EXPECT_NEAR(share, 0.25, 5 * std::sqrt(0.25 * 0.75 / count));
  // E x² = θ with variance 3θ − θ²; E x⁴ = 3θ with variance 105θ − 9θ².
  EXPECT_NEAR(x.squaredNorm() / count, 0.25, 5 * std::sqrt((0.75 - 0.0625) / count));
  EXPECT_NEAR(test::l4_norm4(x) / count, 0.75, 5 * std::sqrt((105 * 0.25 - 9 * 0.0625) / count));
}

TEST(Synthetic, IsTheSameWhateverTheOrderItIsAskedIn) {
  SyntheticOptions options;
  options.dimension = 7;
  options.samples = 100;
  options.noise = 0.1;
  options.outliers = 0.3;
  options.corruption = 0.2;
  const Synthetic data(options);
  const Matrix<double> all = data.samples().transpose();
  EXPECT_EQ(data.samples(40, 11).transpose(), Matrix<double>(all.middleCols(40, 11)));
  EXPECT_EQ(Synthetic(options).samples().transpose(), all);
  options.seed = 1;
  EXPECT_NE(Synthetic(options).samples().transpose(), all);
}

// Bits that any platform must give: changing them breaks every published seed.
TEST(Synthetic, HasTheseBits) {
  SyntheticOptions options;
  options.dimension = 3;
  options.samples = 2;
  options.condition = 10;
  options.noise = 0.5;
  options.seed = 42;
  const Synthetic data(options);
  std::string bits;
  const Matrix<double> y = data.samples().transpose();
  for (const double value : y.reshaped()) bits += fmt::format("{:016x} ", std::bit_cast<std::uint64_t>(value));
  EXPECT_EQ(bits,
            "bff033fe85eb57a5 bfc09610518633d2 bfc9658c2fcf76ce bfbabe8dc07eae78 bfe3ec3d76235991 bfea45e890526dbd ");
}

TEST(Synthetic, DictionaryHasTheConditionNumberAskedFor) {
  for (const double condition : {1.0, 10.0, 1e6}) {
    SyntheticOptions options;
    options.dimension = 15;
    options.condition = condition;
    const Eigen::JacobiSVD<Matrix<double>> svd(Synthetic(options).dictionary().transpose());
    EXPECT_NEAR(svd.singularValues()[0], 1, 1e-13);
    EXPECT_NEAR(svd.singularValues()[14] * condition, 1, 1e-9 * condition / 1e3 + 1e-12);
    const double ratio = svd.singularValues()[1] / svd.singularValues()[0];
    EXPECT_NEAR(std::pow(ratio, 14) * condition, 1, 1e-9);
  }
}

TEST(Synthetic, NoiseOutliersAndCorruptionAreAsAskedFor) {
  SyntheticOptions options;
  options.dimension = 10;
  options.samples = 20000;
  const Matrix<double> clean = Synthetic(options).samples().transpose();
  const double entries = static_cast<double>(clean.size());

  options.noise = 0.2;
  const Matrix<double> noise = Synthetic(options).samples().transpose() - clean;
  EXPECT_NEAR(noise.squaredNorm() / entries, 0.04, 5 * 0.04 * std::sqrt(2 / entries));

  options.noise = 0;
  options.corruption = 0.1;
  const Matrix<double> corruption = Synthetic(options).samples().transpose() - clean;
  const auto hit = corruption.array().abs() > 0.5;
  EXPECT_NEAR(static_cast<double>(hit.count()) / entries, 0.1, 5 * std::sqrt(0.09 / entries));
  EXPECT_NEAR(corruption.sum() / entries, 0, 5 * std::sqrt(0.1 / entries));
  EXPECT_LE((corruption.array().abs() - hit.cast<double>()).abs().maxCoeff(), 1e-14);

  options.corruption = 0;
  options.outliers = 0.3;
  const Matrix<double> mixed = Synthetic(options).samples().transpose();
  Index outliers = 0;
  double energy = 0;
  for (Index j = 0; j < mixed.cols(); ++j) {
    if (mixed.col(j) == clean.col(j)) continue;
    ++outliers;
    energy += mixed.col(j).squaredNorm();
  }
  EXPECT_NEAR(static_cast<double>(outliers) / 20000, 0.3, 5 * std::sqrt(0.21 / 20000));
  EXPECT_NEAR(energy / static_cast<double>(outliers * 10), 1, 5 * std::sqrt(2.0 / static_cast<double>(outliers * 10)));
}

// Atoms are drawn without replacement, however unequal their frequencies are.
TEST(Synthetic, CodesHaveAsManyNonzerosAsAskedFor) {
  SyntheticOptions options;
  options.dimension = 37;
  options.samples = 2000;
  options.dictionary = RowMatrix<double>::Identity(37, 37);
  for (const Index nonzeros : {1, 5, 36, 37}) {
    options.nonzeros = nonzeros;
    options.frequencies = 4;
    const Matrix<double> x = Synthetic(options).samples().transpose();
    for (Index j = 0; j < x.cols(); ++j) ASSERT_EQ((x.col(j).array() != 0).count(), nonzeros);
  }
  options.nonzeros = 1;
  options.frequencies = 0.5;
  options.signs = true;
  const Matrix<double> x = Synthetic(options).samples().transpose();
  EXPECT_EQ(x.cwiseAbs().sum(), 2000);
  double all = 0;
  for (int i = 1; i <= 37; ++i) all += 1 / std::sqrt(i);
  for (const Index i : {0, 3, 36}) {
    const double share = 1 / std::sqrt(static_cast<double>(i + 1)) / all;
    EXPECT_NEAR(x.row(i).cwiseAbs().sum() / 2000, share, 5 * std::sqrt(share / 2000)) << i;
  }
}

TEST(Synthetic, RefusesSamplesBeyondItsEnd) {
  const Synthetic data({.dimension = 3, .samples = 10});
  EXPECT_EQ(data.samples(10, 0).rows(), 0);
  EXPECT_THROW((void)data.samples(9, 2), Error);
  EXPECT_THROW((void)data.samples(-1, 1), Error);
}

TEST(Synthetic, BadOptionsAreErrorsThatNameThem) {
  const std::vector<std::pair<std::string, std::function<void(SyntheticOptions&)>>> cases = {
      {"dimension", [](auto& o) { o.dimension = 0; }},
      {"samples", [](auto& o) { o.samples = 0; }},
      {"theta", [](auto& o) { o.theta = 0; }},
      {"theta", [](auto& o) { o.theta = NAN; }},
      {"condition", [](auto& o) { o.condition = 0.5; }},
      {"noise", [](auto& o) { o.noise = -1; }},
      {"outliers", [](auto& o) { o.outliers = 1.1; }},
      {"corruption", [](auto& o) { o.corruption = -0.1; }},
      {"dictionary", [](auto& o) { o.dictionary = RowMatrix<double>::Identity(3, 4); }},
      {"condition", [](auto& o) { o.dictionary = RowMatrix<double>::Identity(50, 50), o.condition = 2; }},
      {"condition", [](auto& o) { o.atoms = 60, o.condition = 2; }},
      {"atoms", [](auto& o) { o.atoms = 0; }},
      {"nonzeros", [](auto& o) { o.nonzeros = 51; }},
      {"nonzeros", [](auto& o) { o.nonzeros = 0; }},
      {"frequencies", [](auto& o) { o.frequencies = 1; }},
      {"frequencies", [](auto& o) { o.nonzeros = 3, o.frequencies = 0.3; }},
  };
  for (const auto& [name, change] : cases) {
    SyntheticOptions options;
    change(options);
    const auto [fault, message] = test::error_of([&options = options] { options.validate(); });
    EXPECT_EQ(fault, Fault::kOption);
    EXPECT_EQ(message.rfind(name + " = ", 0), 0U) << message;
  }
}

}  // namespace
}  // namespace orthodict
