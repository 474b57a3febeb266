// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>

#include "plan.h"

namespace orthodict::soak {
namespace {

// ½z² + ¼z⁴, with only the functions that a caller must implement.
class OwnStretch final : public Stretch {
 public:
  [[nodiscard]] std::string name() const override { return "soak"; }
  [[nodiscard]] double value(double z) const override { return z * z / 2 + z * z * z * z / 4; }
  [[nodiscard]] double derivative(double z) const override { return z + z * z * z; }
  [[nodiscard]] double second_derivative(double z) const override { return 1 + 3 * z * z; }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return true; }
};

void draw_stretch(Options* options, Draw* draw) {
  constexpr const char* kNames[] = {
      "l4",       "l3",     "power:2.5", "power:4",  "power:6", "power:10", "soft", "hard",
      "soft:0.3", "soft:0", "hard:2",    "hard:0.5", "logcosh", "",         "own",  "mixture:0.2,0.1,1.5"};
  const std::string name = draw->one_of(kNames);
  if (name == "own") {
    options->custom_stretch = std::make_shared<const OwnStretch>();
  } else if (!name.empty()) {
    options->stretch = name;
  }
}

void draw_msp(Options* options, Draw* draw) {
  options->method = draw->chance(0.7) ? Method::kMsp : Method::kAuto;
  draw_stretch(options, draw);
  if (!options->stretch && !options->custom_stretch) options->method = Method::kMsp;
  const auto stretch =
      options->custom_stretch ? options->custom_stretch : make_stretch(options->stretch.value_or("l4"));
  if (draw->chance(0.4)) options->remove_bias = stretch->is_smooth() && draw->chance(0.5);
  const bool removes = options->remove_bias.value_or(stretch->is_subquadratic());
  if (draw->chance(0.2) && (!removes || stretch->degree() == 4)) options->theta = 0.05 + 0.9 * draw->uniform();
  if (draw->chance(0.2)) options->bias_fraction = 0.1 + 0.9 * draw->uniform();
  if (draw->chance(0.2)) options->step = draw->size(1e-6, 1e3);
  // Hard thresholds may cycle until max_iterations, 500 by default, so a limit is set.
  if (draw->chance(0.8)) options->max_iterations = static_cast<int>(draw->integer(0, 100));
}

void draw_questions(Options* options, Draw* draw) {
  options->dictionary = draw->one_of({Dictionary::kAuto, Dictionary::kComplete, Dictionary::kOrthogonal});
  if (draw->chance(0.4)) {
    const Whitening whitening = draw->one_of({Whitening::kZca, Whitening::kPca});
    options->whiten = options->dictionary == Dictionary::kOrthogonal ? Whitening::kNone : whitening;
  }
  if (draw->chance(0.5)) options->center = draw->chance(0.5);
  if (draw->chance(0.2)) options->normalize = Normalization::kSamples;
}

// As many atoms in rows as requested. Illegal only for rank-deficient samples if no number is given.
RowMatrix<double> draw_start(Index atoms, Index features, Draw* draw) {
  RowMatrix<double> start(atoms, features);
  for (double& entry : start.reshaped<Eigen::RowMajor>()) entry = draw->uniform() - 0.5;
  return start;
}

}  // namespace

void draw_options(Plan* plan, Draw* draw) {
  Options& options = plan->options;
  Expectation& expected = plan->expected;
  const Index n = plan->y.rows();
  const Index most = std::min(n, plan->y.cols());
  options.seed = draw->bits();
  draw_questions(&options, draw);
  if (draw->chance(0.5)) draw_msp(&options, draw);
  if (draw->chance(0.2)) options.atoms = draw->integer(1, most);
  if (draw->chance(0.4)) options.precision = draw->one_of({Precision::kF32, Precision::kF64, Precision::kMixed});
  if (draw->chance(0.1)) options.max_iterations = static_cast<int>(draw->integer(0, 20));
  if (draw->chance(0.4)) options.tolerance = draw->one_of({0.0, 1e-12, 1e-4, 1e-2});
  if (draw->chance(0.1)) options.time_limit = 1e6;
  options.init = draw->one_of(
      {Initialization::kRandom, Initialization::kRandom, Initialization::kIdentity, Initialization::kGiven});
  if (options.init == Initialization::kGiven) {
    options.initial_dictionary = draw_start(*options.atoms.value_or(n).count(), n, draw);
    expected.option.emplace_back("initial_dictionary");
  }
  // Errors that depend on the data: rank, size of values, whether a coefficient passes a threshold.
  if (options.atoms) expected.option.emplace_back("atoms = ");
  if (options.precision == Precision::kF32) expected.option.emplace_back("precision = f32");
  if (options.stretch) expected.option.emplace_back("stretch = ");
  expected.data = {"there is nothing to learn"};
}

}  // namespace orthodict::soak
