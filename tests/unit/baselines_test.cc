// SPDX-License-Identifier: Apache-2.0
// Tests of all baselines.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/methods.h"
#include "support.h"

namespace orthodict::baselines {
namespace {

using test::random_gaussian;
using test::sparse_samples;

class BaselineTest : public testing::TestWithParam<AnyMethod> {
 protected:
  // Gives the oracle the identity, or `truth`, as the true atoms.
  static FitResult fit_to(const Matrix<double>& y, const Options& options = {},
                          std::optional<RowMatrix<double>> truth = {}) {
    Parameters parameters;
    parameters.subgradient.truth = truth ? *truth : RowMatrix<double>(test::identity(y.rows()));
    return GetParam().fit(*samples_in_columns(y), options, parameters);
  }
  static bool learns_more_atoms() { return GetParam().name == "ksvd" || GetParam().name == "online"; }
  static bool iterates() { return GetParam().name != "pca"; }
};

std::string test_name(const testing::TestParamInfo<AnyMethod>& info) { return std::string(info.param.name); }

std::vector<AnyMethod> all_baselines() {
  std::vector<AnyMethod> baselines;
  std::ranges::copy_if(methods(), std::back_inserter(baselines), [](const AnyMethod& m) { return !m.of_library; });
  return baselines;
}

TEST_P(BaselineTest, SaysItsName) {
  EXPECT_EQ(fit_to(sparse_samples(5, 200)).summary.method, GetParam().name);
  Options options;
  EXPECT_EQ(find_method("method", std::string(GetParam().name), &options).name, GetParam().name);
}

TEST_P(BaselineTest, SameBitsForAnyNumberOfThreads) {
  const Synthetic data({.dimension = 40, .samples = 8000, .seed = 1});
  Options options;
  options.max_iterations = 4;
  options.threads = 1;
  const FitResult one = fit_to(data.samples().transpose(), options, data.dictionary());
  options.threads = 3;
  const FitResult three = fit_to(data.samples().transpose(), options, data.dictionary());
  EXPECT_EQ(one.model.dictionary, three.model.dictionary);
  EXPECT_EQ(one.model.analysis, three.model.analysis);
  EXPECT_EQ(one.summary.objective, three.summary.objective);
  EXPECT_EQ(one.model.metadata, three.model.metadata);
}

// Scaling by powers of two doesn't change rounding, so every step is the same.
TEST_P(BaselineTest, ScaleDoesNotMatter) {
  const Matrix<double> y = sparse_samples(8, 1000);
  const RowMatrix<double> expected = fit_to(y).model.dictionary;
  for (const double scale : {0x1p-480, 0x1p480}) {
    const FitResult result = fit_to(scale * y);
    EXPECT_TRUE(result.model.dictionary.isApprox(expected, 1e-9)) << scale;
    EXPECT_TRUE(result.model.analysis.allFinite()) << scale;
  }
}

TEST_P(BaselineTest, TakesOffTheMean) {
  const Synthetic data({.dimension = 8, .samples = 1000, .seed = 1});
  const RowMatrix<double> truth = data.dictionary();
  const Matrix<double> y = data.samples().transpose();
  const Vector<double> shift = 100 * Vector<double>::LinSpaced(8, 1, 2);
  Options options;
  options.center = true;
  const FitResult here = fit_to(y, options, truth);
  const FitResult there = fit_to(y.colwise() + shift, options, truth);
  EXPECT_LE((there.model.mean - here.model.mean - shift).norm(), 1e-10);
  EXPECT_TRUE(there.model.dictionary.isApprox(here.model.dictionary, 1e-5));
}

TEST_P(BaselineTest, EndsWhenItIsTold) {
  if (!iterates()) return;
  const Matrix<double> y = sparse_samples(20, 3000);
  Options options;
  options.time_limit = 1e-9;
  EXPECT_EQ(fit_to(y, options).summary.termination, Termination::kTimeLimit);
  options.time_limit.reset();

  options.callback = [](const Iterate& iterate) { return iterate.record().iteration == 2; };
  const FitResult called = fit_to(y, options);
  EXPECT_EQ(called.summary.termination, Termination::kStopped);
  EXPECT_EQ(called.summary.iterations, 2);

  std::stop_source source;
  options.stop = source.get_token();
  RowMatrix<double> seen;
  options.callback = [&](const Iterate& iterate) {
    seen = iterate.model().dictionary;
    if (iterate.record().iteration == 2) source.request_stop();
    return false;
  };
  const FitResult stopped = fit_to(y, options);
  EXPECT_EQ(stopped.summary.termination, Termination::kStopped);
  EXPECT_EQ(stopped.summary.iterations, 2);
  EXPECT_TRUE(stopped.model.dictionary.isApprox(seen, 1e-12));

  options = {};
  options.max_iterations = 1;
  EXPECT_EQ(fit_to(y, options).summary.termination, Termination::kMaxIterations);
}

// Baselines that whiten, and those that find one atom at a time, have their own tests for this.
TEST_P(BaselineTest, StartsWhereItIsTold) {
  if (GetParam().name != "ksvd" && GetParam().name != "online") return;
  const Synthetic data({.dimension = 12, .samples = 1000, .seed = 1});
  const RowMatrix<double> truth = data.dictionary();
  Options options;
  options.max_iterations = 0;
  options.init = Initialization::kGiven;
  options.initial_dictionary = 1e-200 * truth;
  EXPECT_LT(compare(fit_to(data.samples().transpose(), options).model, truth).error, 1e-14);
  options.init = Initialization::kIdentity;
  EXPECT_EQ((fit_to(data.samples().transpose(), options).model.dictionary.array() == 1).count(), 12);
  options.init = Initialization::kRandom;
  const RowMatrix<double> random = fit_to(data.samples().transpose(), options).model.dictionary;
  options.seed = 1;
  EXPECT_FALSE(random.isApprox(fit_to(data.samples().transpose(), options).model.dictionary, 0.1));
}

TEST_P(BaselineTest, LearnsFewerAtoms) {
  const Synthetic data({.dimension = 16, .samples = 2000, .theta = 0.1, .seed = 1});
  Options options;
  options.atoms = 9;
  options.max_iterations = 100;
  const Model model = fit_to(data.samples().transpose(), options, data.dictionary()).model;
  EXPECT_EQ(model.atoms(), 9);
  EXPECT_TRUE(model.dictionary.allFinite() && model.analysis.allFinite());
}

// Of atoms in general position, some samples in each code: K-SVD and the lasso find most, from samples as a start.
TEST_P(BaselineTest, LearnsMoreAtomsThanFeaturesOrRefusesTo) {
  const Synthetic data({.dimension = 12, .samples = 1500, .seed = 1, .atoms = 20, .nonzeros = 2});
  Options options;
  options.atoms = 20;
  options.max_iterations = 40;
  const auto learn = [&] { return fit_to(data.samples().transpose(), options, RowMatrix<double>(test::identity(12))); };
  if (!learns_more_atoms()) {
    EXPECT_EQ(test::error_of([&] { static_cast<void>(learn()); }).first, Fault::kOption);
    return;
  }
  const auto [model, summary] = learn();
  EXPECT_EQ(model.atoms(), 20);
  EXPECT_EQ(model.analysis.size(), 0);
  EXPECT_EQ(summary.dictionary, Dictionary::kOvercomplete);
  EXPECT_GE(compare(model, data.dictionary()).hits, 17);
  const RowMatrix<double> samples = data.samples();
  const RowMatrix<double> codes = encode(model, samples);
  EXPECT_LT((decode(model, codes) - samples).norm(), 0.3 * samples.norm());
  options.init = Initialization::kIdentity;
  EXPECT_TRUE(test::error_of([&] { static_cast<void>(learn()); }).second.starts_with("init = "));
}

TEST_P(BaselineTest, RefusesWhatItDoesNotHave) {
  const auto refuses = [&](const std::string& name, const auto& change) {
    Options options;
    change(options);
    const auto [fault, text] = test::error_of([&] { static_cast<void>(fit_to(sparse_samples(5, 100), options)); });
    EXPECT_EQ(fault, Fault::kOption) << text;
    EXPECT_TRUE(text.starts_with(name + " = ")) << text;
  };
  refuses("stretch", [](Options& o) { o.stretch = "l4"; });
  refuses("custom_stretch", [](Options& o) { o.custom_stretch = make_stretch("l4"); });
  refuses("remove_bias", [](Options& o) { o.remove_bias = false; });
  refuses("theta", [](Options& o) { o.theta = 0.3; });
  refuses("bias_fraction", [](Options& o) { o.bias_fraction = 0.5; });
  refuses("step", [](Options& o) { o.step = 1; });
  refuses("precision", [](Options& o) { o.precision = Precision::kF32; });
  if (!learns_more_atoms()) refuses("atoms", [](Options& o) { o.atoms = 6; });
  refuses("max_iterations", [](Options& o) { o.max_iterations = -1; });
  refuses("tolerance", [](Options& o) { o.tolerance = -1; });
  refuses("normalize", [](Options& o) { o.normalize = Normalization::kSamples; });
  refuses("checkpoint", [](Options& o) { o.checkpoint = "c.npz"; });
  refuses("resume", [](Options& o) { o.resume = "c.npz"; });
  if (GetParam().whitens == Whitens::kNever) {
    refuses("whiten", [](Options& o) { o.whiten = Whitening::kPca; });
    refuses("dictionary", [](Options& o) { o.dictionary = Dictionary::kComplete; });
  }
  if (!iterates()) return;
  refuses("initial_dictionary", [](Options& o) {
    o.init = Initialization::kGiven;
    o.initial_dictionary = RowMatrix<double>::Ones(3, 5);
  });
  refuses("initial_dictionary", [](Options& o) {
    o.init = Initialization::kGiven;
    o.initial_dictionary = RowMatrix<double>::Constant(5, 5, std::numeric_limits<double>::quiet_NaN());
  });
}

TEST_P(BaselineTest, OddSamplesGiveFiniteResults) {
  Matrix<double> zeros = sparse_samples(10, 200);
  zeros.rightCols(100).setZero();
  zeros.row(3).setZero();
  Matrix<double> outlier = sparse_samples(10, 200);
  outlier.col(5) *= 1e12;
  const std::map<std::string, Matrix<double>> cases = {
      {"zeros", zeros},
      {"outlier", outlier},
      {"rank 3", random_gaussian(10, 3, 1) * sparse_samples(3, 300)},
      {"fewer samples than features", sparse_samples(20, 7)},
      {"two samples", random_gaussian(6, 2, 5)},
      {"one feature", random_gaussian(1, 30, 2)},
      {"duplicates", random_gaussian(8, 4, 3).replicate(1, 20)},
      {"the identity", test::identity(8)},
      {"no structure", random_gaussian(10, 500, 3)},
  };
  Options options;
  options.max_iterations = 60;
  for (const auto& [name, y] : cases) {
    const Model model = fit_to(y, options).model;
    EXPECT_TRUE(model.dictionary.allFinite() && model.analysis.allFinite()) << name;
    EXPECT_LT((model.dictionary.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-12) << name;
  }
  const Matrix<double> zero = Matrix<double>::Zero(5, 10);
  EXPECT_EQ(test::error_of([&] { static_cast<void>(fit_to(zero)); }).first, Fault::kData);
}

INSTANTIATE_TEST_SUITE_P(All, BaselineTest, testing::ValuesIn(all_baselines()), test_name);

TEST(AnyMethodTest, NamesOfTheLibraryAndOfBaselines) {
  const auto found = [](const std::string& name, Options options = {}) {
    const AnyMethod& method = find_method("method", name, &options);
    EXPECT_EQ(method.of_library, options.method);
    return std::pair(std::string(method.name), options.stretch.value_or(""));
  };
  EXPECT_EQ(found("auto"), std::pair(std::string("auto"), std::string()));
  EXPECT_EQ(found("msp").first, "msp");
  EXPECT_EQ(found("msp:power:6"), std::pair(std::string("msp"), std::string("power:6")));
  EXPECT_EQ(found("auto", {.stretch = "l3"}), std::pair(std::string("msp"), std::string("l3")));
  EXPECT_EQ(found("msp:l3", {.stretch = "l3"}).second, "l3");
  const auto message = [](const std::string& name, Options options = {}) {
    return test::error_of([&] { static_cast<void>(find_method("--method", name, &options)); }).second;
  };
  EXPECT_TRUE(message("ksvd2").starts_with("--method = ksvd2: must be auto, msp, msp:STRETCH, ksvd, "));
  EXPECT_TRUE(message("ksvd2").ends_with(" or pca"));
  EXPECT_TRUE(message("msp:l1").starts_with("--method = msp:l1: must be msp: followed by a stretch (stretch = l1"));
  EXPECT_EQ(message("msp:l3", {.stretch = "l4"}), "stretch = l4: must be left out with method msp:l3");
}

TEST(AnyMethodTest, MspWithAStretchIsThatFit) {
  const Matrix<double> y = sparse_samples(6, 500);
  Options options = test::msp();
  options.stretch = "l3";
  const FitResult by_name = fit(*samples_in_columns(y), "msp:l3", {});
  EXPECT_EQ(by_name.model.dictionary, test::fit_columns(y, options).model.dictionary);
}

TEST(AnyMethodTest, TheOracleNeedsTheTruth) {
  const Matrix<double> y = sparse_samples(6, 500);
  const auto [fault, text] =
      test::error_of([&] { static_cast<void>(fit(*samples_in_columns(y), "subgradient_oracle", Options{})); });
  EXPECT_EQ(fault, Fault::kOption);
  EXPECT_NE(text.find("truth"), std::string::npos);
}

}  // namespace
}  // namespace orthodict::baselines
