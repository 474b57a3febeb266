// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <array>

#include "baselines/methods.h"
#include "pictures.h"
#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr std::array<const char*, 2> kSets = {"mnist", "fashion-mnist"};
constexpr std::array<Index, 13> kCounts = {1, 2, 3, 5, 7, 10, 15, 18, 20, 25, 50, 100, 200};
constexpr std::array<std::pair<Choice, const char*>, 2> kChoices = {
    {{Choice::kLargest, "largest"}, {Choice::kLeading, "leading"}}};
// Saved for drawing: this many atoms, and this many pictures, each reconstructed from kRebuiltFrom atoms.
constexpr Index kAtomsShown = 16;
constexpr Index kPicturesShown = 8;
constexpr Index kRebuiltFrom = 10;

// A way to learn a dictionary. All of them centre the pictures, as PCA does.
struct Learner {
  std::string name;
  std::string method;  // a name for find_method()
  Dictionary dictionary = Dictionary::kAuto;
};
const std::array<Learner, 7> kLearners = {{{"pca", "pca"},
                                           {"l4", "msp"},
                                           {"l3", "msp:l3"},
                                           {"power-2.5", "msp:power:2.5"},
                                           {"soft-1", "msp:soft:1"},
                                           {"auto-orthogonal", "auto", Dictionary::kOrthogonal},
                                           {"auto", "auto"}}};

FitResult learn(const Learner& learner, const Samples& pictures, const Scale& scale, const Context& context) {
  Options options = options_for(context, scale.seed);
  options.center = true;
  options.dictionary = learner.dictionary;
  if (learner.method != "pca") options.max_iterations = scale.pick(1, 40, 500);
  return baselines::fit(pictures, learner.method, options);
}

std::vector<Row> run(const std::string& set, const Learner& learner, const Scale& scale, const Context& context) {
  const Array train = read_pictures(scale.data, set, "train-images-idx3-ubyte");
  const Array test = read_pictures(scale.data, set, "t10k-images-idx3-ubyte");
  const auto [model, summary] = learn(learner, *first_of(train, scale.pick(1000, 10000, 60000)), scale, context);
  if (context.stop.stop_requested()) return {};

  const auto unseen = first_of(test, scale.pick(100, 10000, 10000));
  const auto shown = first_of(test, kPicturesShown);
  write_first(context.folder / (set + ".npy"), test, kPicturesShown);
  const std::string stem = context.folder / (set + "-" + learner.name + "-");
  write_matrix(stem + "atoms.npy", model.dictionary.topRows(kAtomsShown));
  std::vector<Row> rows;
  for (const auto& [choice, name] : kChoices) {
    write_matrix(stem + name + ".npy", rebuild(model, *shown, kRebuiltFrom, choice));
    const std::vector<double> errors = mean_squared_errors(model, *unseen, kCounts, choice);
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
      rows.push_back({{"choice", name},
                      {"k", kCounts[i]},
                      {"mean_squared_error", errors[i]},
                      {"iterations", summary.iterations},
                      {"seconds", summary.total_seconds},
                      {"termination", name_of(summary.termination)},
                      {"established", summary.established}});
    }
  }
  return rows;
}

std::vector<Cell> cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (const std::string set : kSets) {
    for (const Learner& learner : kLearners) {
      cells.push_back({"reconstruction",
                       {{"set", set}, {"method", learner.name}},
                       learner.method == "pca" ? 0.1 : 1,
                       [=](const Context& context) { return run(set, learner, scale, context); }});
    }
  }
  return cells;
}

}  // namespace

Experiment digits() {
  return {.name = "digits",
          .title = "digits and clothes: pictures rebuilt from few atoms, against PCA",
          .source = "beyond the paper",
          .times = true,
          .cells = cells};
}

}  // namespace orthodict::experiments
