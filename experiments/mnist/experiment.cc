// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <array>

#include "baselines/pca.h"
#include "pictures.h"
#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr std::array<Index, 9> kBases = {1, 2, 3, 4, 5, 10, 15, 20, 25};

void add_errors(const std::string& bases, const Model& model, Choice choice, const std::string& set,
                const Samples& digits, std::vector<Row>* rows) {
  const std::vector<double> errors = mean_squared_errors(model, digits, kBases, choice);
  for (std::size_t i = 0; i < kBases.size(); ++i) {
    rows->push_back({{"set", set}, {"bases", bases}, {"k", kBases[i]}, {"mean_squared_error", errors[i]}});
  }
}

std::vector<Row> run(const Scale& scale, const Context& context) {
  const Array train = read_pictures(scale.data, "mnist", "train-images-idx3-ubyte");
  const Array test = read_pictures(scale.data, "mnist", "t10k-images-idx3-ubyte");
  // The paper learns from 50 000 of the 60 000 images.
  const auto samples = first_of(train, scale.pick(1000, 10000, 50000));

  Options options = options_for(context, scale.seed);
  options.method = Method::kMsp;
  options.max_iterations = scale.pick(3, 100, 500);
  const FitResult msp = fit(*samples, options);
  if (context.stop.stop_requested()) return {};
  const FitResult pca = baselines::fit_pca(*samples, options_for(context, scale.seed));
  save_model(context.folder / "msp.npz", msp.model);
  save_model(context.folder / "pca.npz", pca.model);
  write_first(context.folder / "digits.npy", train, 20);

  std::vector<Row> rows;
  const auto learned_from = first_of(train, scale.pick(1000, 10000, 10000));
  const auto unseen = first_of(test, scale.pick(1000, 10000, 10000));
  for (const auto& [set, digits] : {std::pair{"train", learned_from.get()}, std::pair{"test", unseen.get()}}) {
    add_errors("msp, largest of each image", msp.model, Choice::kLargest, set, *digits, &rows);
    add_errors("pca, leading", pca.model, Choice::kLeading, set, *digits, &rows);
    add_errors("pca, largest of each image", pca.model, Choice::kLargest, set, *digits, &rows);
  }
  for (Row& row : rows) row.update({{"iterations", msp.summary.iterations}, {"seconds", msp.summary.total_seconds}});
  return rows;
}

}  // namespace

Experiment mnist() {
  return {.name = "mnist",
          .title = "bases of handwritten digits, and reconstruction from few of them, against PCA",
          .source = "Figures 9 to 11",
          .times = true,
          .cells = [](const Scale& scale) {
            return std::vector<Cell>{
                {"reconstruction", Row::object(), 1, [scale](const Context& context) { return run(scale, context); }}};
          }};
}

}  // namespace orthodict::experiments
