// SPDX-License-Identifier: Apache-2.0
// Texts about a run: the names of enums and the two reports.
#include <sstream>

#include "solver/metadata.h"
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
  expect_names<Dictionary>({{Dictionary::kAuto, "auto"},
                            {Dictionary::kComplete, "complete"},
                            {Dictionary::kOrthogonal, "orthogonal"},
                            {Dictionary::kOvercomplete, "overcomplete"}});
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

TEST(Reports, ShowTheFirstAndTheLastLinesOfALongHistory) {
  Summary s = summary();
  s.history.clear();
  for (int i = 0; i < 10; ++i) s.history.push_back({.iteration = i, .objective = 100.0 + i, .step = {}, .samples = 1});
  const auto iterations = [&](std::optional<Index> max_lines) {
    const std::string text = s.full_report(max_lines);
    std::vector<int> shown;
    for (int i = 0; i < 10; ++i) {
      if (text.find(std::to_string(100 + i)) != std::string::npos) shown.push_back(i);
    }
    return shown;
  };
  EXPECT_EQ(iterations(3), (std::vector<int>{0, 1, 9}));
  EXPECT_EQ(iterations(1), (std::vector<int>{0}));
  EXPECT_EQ(iterations(9), (std::vector<int>{0, 1, 2, 3, 4, 6, 7, 8, 9}));
  expect_part(s.full_report(3), " 1 ");
  expect_part(s.full_report(3), "… 7 more …\n");
  for (const std::optional<Index> enough : {std::optional<Index>(), std::optional<Index>(10)}) {
    EXPECT_EQ(s.full_report(enough), s.full_report());
    expect_part(s.full_report(enough), "more", false);
  }
  EXPECT_EQ(test::error_of([&] { (void)s.full_report(0); }).first, Fault::kOption);
}

TEST(Summaries, AreUsableUnlessNothingWasEstablished) {
  for (const Named<Termination>& entry : names_of<Termination>()) {
    Summary s = summary();
    s.termination = entry.value;
    EXPECT_EQ(s.is_usable(), entry.value != Termination::kNotEstablished) << entry.value;
  }
}

TEST(Names, AreWrittenToStreams) {
  const auto written = [](const auto& value) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  };
  EXPECT_EQ(written(Dictionary::kComplete), "complete");
  EXPECT_EQ(written(Termination::kMaxIterations), "max_iterations");
  EXPECT_EQ(written(Fault::kData), "data");
  EXPECT_EQ(written(Layout::kColumns), "columns");
  EXPECT_EQ(written(Transform::kDct), "dct");
  EXPECT_EQ(written(Contrast::kEach), "each");
  EXPECT_EQ(written(Coder::kLasso), "lasso");
  EXPECT_EQ(written(ElementType::kI16), "i16");
  EXPECT_EQ(written(static_cast<Stage>(77)), "77");
}

TEST(Version, IsThatOfTheHeaders) {
  EXPECT_STREQ(version(), ORTHODICT_VERSION);
  const auto numbers = {ORTHODICT_VERSION_MAJOR, ORTHODICT_VERSION_MINOR, ORTHODICT_VERSION_PATCH};
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ".") + std::to_string(number);
  EXPECT_EQ(text, ORTHODICT_VERSION);
}

// Method auto has limits of its own, which may end a run before the given limit does.
TEST(Outcome, TellsALimitOfMethodAutoFromTheGivenOne) {
  Options options;
  options.max_iterations = 5000;
  Summary summary;
  summary.method = "auto";
  summary.termination = Termination::kMaxIterations;
  summary.iterations = 1257;
  EXPECT_NE(solver::describe_outcome(options, summary).find("after the steps of the last stage"), std::string::npos);
  summary.iterations = 5000;
  EXPECT_NE(solver::describe_outcome(options, summary).find("the iterations allowed were used up"), std::string::npos);
}

}  // namespace
}  // namespace orthodict
