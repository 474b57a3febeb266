// SPDX-License-Identifier: Apache-2.0
// What people read of a run: the names of enums and the two reports.
#include "support.h"

namespace orthodict {
namespace {

template <typename Enum>
void expect_names(const std::vector<std::pair<Enum, std::string>>& names) {
  ASSERT_EQ(names_of<Enum>().size(), names.size());
  for (const auto& [value, name] : names) {
    EXPECT_EQ(name_of(value), name);
    EXPECT_EQ(parse_name<Enum>("option", name), value);
  }
}

TEST(Names, AreThoseOfTheDocs) {
  expect_names<Method>({{Method::kAuto, "auto"}, {Method::kMsp, "msp"}});
  expect_names<Dictionary>(
      {{Dictionary::kAuto, "auto"}, {Dictionary::kComplete, "complete"}, {Dictionary::kOrthogonal, "orthogonal"}});
  expect_names<Whitening>({{Whitening::kNone, "none"}, {Whitening::kZca, "zca"}, {Whitening::kPca, "pca"}});
  expect_names<Precision>({{Precision::kF32, "f32"}, {Precision::kF64, "f64"}, {Precision::kMixed, "mixed"}});
  expect_names<Initialization>({{Initialization::kRandom, "random"},
                                {Initialization::kIdentity, "identity"},
                                {Initialization::kGiven, "given"}});
  expect_names<Termination>({{Termination::kConverged, "converged"},
                             {Termination::kMaxIterations, "max_iterations"},
                             {Termination::kTimeLimit, "time_limit"},
                             {Termination::kStopped, "stopped"},
                             {Termination::kNotEstablished, "not_established"}});
  expect_names<Stage>({{Stage::kMsp, "msp"},
                       {Stage::kExplore, "explore"},
                       {Stage::kRefine, "refine"},
                       {Stage::kFinish, "finish"},
                       {Stage::kBaseline, "baseline"}});
  EXPECT_EQ(test::error_of([] { (void)name_of(static_cast<Stage>(77)); }).first, Fault::kOption);
}

Summary summary() {
  Summary s;
  s.samples = 300;
  s.dimension = 20;
  s.rank = 19;
  s.atoms = 15;
  s.method = "auto";
  s.threads = 3;
  s.message = "converged, it is said";
  s.objective = 12.5;
  s.total_seconds = 2.5;
  s.history = {{.iteration = 0, .objective = 12.5, .step = {}, .stage = Stage::kFinish, .samples = 300}};
  return s;
}

void expect_part(const std::string& text, const std::string& part, bool there = true) {
  EXPECT_EQ(text.find(part) != std::string::npos, there) << part << "\n" << text;
}

TEST(Reports, SayWhatHappened) {
  Summary s = summary();
  EXPECT_EQ(s.brief_report(), "15 atoms from 300 samples of 20 features in 2.5 s; converged, it is said");
  const std::string plain = s.full_report();
  expect_part(plain, "300 samples of 20 features, rank 19\n");
  expect_part(plain, "15 atoms, orthogonal dictionary\n");
  expect_part(plain, "Method        auto\n");
  expect_part(plain, "Threads       3\n");
  expect_part(plain, "Objective     12.5\n");
  expect_part(plain, "         0   finish       300             12.5");
  for (const char* absent : {"Coefficients", "centred", "bias", "ranks", "Sent"}) expect_part(plain, absent, false);
}

TEST(Reports, SayWhatWasSpecial) {
  Summary s = summary();
  s.center = s.remove_bias = true;
  s.stretch = "l3";
  s.theta = 0.25;
  expect_part(s.full_report(), "Coefficients", false);
  s.noise = 0.01;
  s.parameters = {{"batch", 256}};
  s.ranks = 4;
  s.bytes_sent = 1234;
  s.history[0].step = 0.125;
  const std::string text = s.full_report();
  for (const char* part :
       {"orthogonal dictionary, centred\n", "auto, stretch l3, bias removed\n", "theta 0.25, noise 0.01\n",
        "batch         256\n", "3 on each of 4 ranks\n", "Sent          1234 bytes", "1.250e-01"}) {
    expect_part(text, part);
  }
}

TEST(Reports, ShowWarnings) {
  Summary s = summary();
  s.warnings = {"it is so", "and so"};
  EXPECT_EQ(s.brief_report(),
            "15 atoms from 300 samples of 20 features in 2.5 s; converged, it is said; warning: it is so; warning: and "
            "so");
  expect_part(s.full_report(), "Warning       it is so\nWarning       and so\n");
}

}  // namespace
}  // namespace orthodict
