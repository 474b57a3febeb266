// SPDX-License-Identifier: Apache-2.0
// Identification of runs: hashes of options and of rounding, and the metadata of a model.
#include "solver/rank_agreement.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "simd_targets.h"
#include "solver/hash.h"
#include "solver/metadata.h"
#include "solver/options.h"
#include "support.h"

namespace orthodict::solver {
namespace {

std::uint64_t hash(const std::vector<double>& values, std::uint64_t before = 1) {
  return hash_of(std::span<const double>(values), before);
}

TEST(Hash, SeesEveryBitAndTheOrder) {
  EXPECT_EQ(hash({1, 2}), hash({1, 2}));
  EXPECT_NE(hash({1, 2}), hash({2, 1}));
  EXPECT_NE(hash({1, 2}), hash({1, std::nextafter(2, 3)}));
  EXPECT_NE(hash({0.0}), hash({-0.0}));
  EXPECT_NE(hash({1}), hash({1, 0}));
  EXPECT_EQ(hash({1, 2}), hash({2}, hash({1})));
  EXPECT_NE(hash_of("ab"), hash_of("ba"));
  EXPECT_NE(hash_of("a"), hash_of("aa"));
  const Matrix<double> m{{1, 3, 5}, {2, 4, 6}};
  EXPECT_EQ(hash_of(values_of(m), 1), hash({1, 2, 3, 4, 5, 6}));
}

TEST(Question, IsAnotherForEveryOptionThatCounts) {
  const Matrix<double> y = test::random_gaussian(3, 20, 1), more = test::random_gaussian(3, 21, 1);
  const Eigen::MatrixXf single = y.cast<float>();
  const auto samples = samples_in_columns(y);
  Options options;
  options.initial_dictionary = RowMatrix<double>::Identity(3, 3);
  const Summary summary;
  const std::vector<std::function<void(Options&)>> changes = {
      [](Options& o) { o.stretch = "l3"; },
      [](Options& o) { o.remove_bias = true; },
      [](Options& o) { o.remove_bias = false; },
      [](Options& o) { o.theta = 0.5; },
      [](Options& o) { o.bias_fraction = 0.5; },
      [](Options& o) { o.step = 2; },
      [](Options& o) { o.dictionary = Dictionary::kComplete; },
      [](Options& o) { o.whiten = Whitening::kPca; },
      [](Options& o) { o.center = false; },
      [](Options& o) { o.atoms = 2; },
      [](Options& o) { o.precision = Precision::kF32; },
      [](Options& o) { o.max_iterations = 3; },
      [](Options& o) { o.tolerance = 1e-3; },
      [](Options& o) { o.seed = 1; },
      [](Options& o) { o.init = Initialization::kIdentity; },
      [](Options& o) { o.initial_dictionary(1, 2) = 1; },
      [](Options& o) { o.time_limit = 5; },
      [](Options& o) { o.resume = "c.npz"; },
  };
  std::set<std::uint64_t> hashes = {hash_of_question(options, *samples)};
  for (const auto& change : changes) {
    Options other = options;
    change(other);
    EXPECT_TRUE(hashes.insert(hash_of_question(other, *samples)).second) << hashes.size();
  }
  EXPECT_TRUE(hashes.insert(hash_of_question(options, *samples_in_columns(more))).second);
  EXPECT_TRUE(hashes.insert(hash_of_question(options, *samples_in_columns(single))).second);
  options.threads = 7;
  options.time_limit.reset();
  EXPECT_FALSE(hashes.insert(hash_of_question(options, *samples)).second);
}

TEST(Question, LooksAtTheFirstSampleAndTheLast) {
  for (const Index size : {1, 2, 10, 16, 1000}) {
    const Matrix<double> y = test::random_gaussian(3, size, 1);
    const auto question = [](const Matrix<double>& of) { return hash_of_question({}, *samples_in_columns(of)); };
    for (const Index sample : {Index{0}, size - 1}) {
      Matrix<double> other = y;
      other(2, sample) += 1e-9;
      EXPECT_NE(question(other), question(y)) << sample << " of " << size;
    }
    EXPECT_EQ(question(Matrix<double>(y)), question(y));
  }
}

// Instructions that fuse a product and a sum round once, others twice.
TEST(Rounding, DiffersBetweenKindsOfInstructions) {
  std::set<std::uint64_t> hashes;
  std::size_t targets = 0;
  test::for_each_simd_target([&](const char*) {
    ++targets;
    const std::uint64_t own = hash_of_rounding();
    EXPECT_EQ(hash_of_rounding(), own);
    hashes.insert(own);
  });
  if (targets > 1) {
    EXPECT_GT(hashes.size(), 1u);
  }
}

TEST(Metadata, SayWhatWasAskedAndWhatCameOut) {
  Options options;
  options.theta = 0.25;
  options.whiten = Whitening::kZca;
  options.seed = 9;
  Summary summary;
  summary.method = "msp";
  summary.stretch = "l3";
  summary.parameters = {{"batch", 256}};
  summary.termination = Termination::kTimeLimit;
  summary.sample_shape = {2, 3};
  summary.noise = 0.5;
  summary.history = {
      {.iteration = 0, .objective = 4, .step = {}, .samples = 10},
      {.iteration = 1, .objective = 5, .step = 0.5, .seconds = 3, .stage = Stage::kRefine, .samples = 8}};
  const auto json = nlohmann::json::parse(make_metadata(options, summary));
  const auto& asked = json["options"];
  EXPECT_EQ(nlohmann::json(describe_options(options, summary)), asked);
  EXPECT_EQ(asked["method"], "msp");
  EXPECT_EQ(asked["stretch"], "l3");
  EXPECT_EQ(asked["remove_bias"], false);
  EXPECT_EQ(asked["theta"], 0.25);
  EXPECT_EQ(asked["whiten"], "zca");
  EXPECT_EQ(asked["seed"], 9);
  EXPECT_EQ(asked["step"], "inf");
  EXPECT_TRUE(asked["atoms"].is_null());
  EXPECT_EQ(asked["parameters"]["batch"], 256);
  EXPECT_EQ(json["summary"]["termination"], "time_limit");
  EXPECT_EQ(json["summary"]["noise"], 0.5);
  EXPECT_EQ(json["sample_shape"], (std::vector<int>{2, 3}));
  const nlohmann::json history = {
      {"stage", {"msp", "refine"}}, {"objective", {4, 5}}, {"step", {nullptr, 0.5}}, {"samples", {10, 8}}};
  EXPECT_EQ(json["history"], history) << "and no times";
}

TEST(ResolvedOptions, AreMspWhereAStretchIsNamed) {
  const auto expect = [](const Options& options, Method method, const std::optional<std::string>& stretch) {
    EXPECT_EQ(method_of(options), method);
    EXPECT_EQ(resolved(options).method, method);
    EXPECT_EQ(resolved(options).stretch, stretch);
    if (stretch) {
      EXPECT_EQ(stretch_of(resolved(options))->name(), stretch);
    }
  };
  Options options;
  expect(options, Method::kAuto, std::nullopt);
  options.method = Method::kMsp;
  expect(options, Method::kMsp, "l4");
  options.method = Method::kAuto;
  options.stretch = "l3";
  expect(options, Method::kMsp, "l3");
  options.custom_stretch = make_stretch("logcosh");
  expect(options, Method::kMsp, "logcosh");
  options.stretch.reset();
  expect(options, Method::kMsp, "logcosh");
}

}  // namespace
}  // namespace orthodict::solver
