// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "baselines/pca.h"
#include "orthodict/error.h"
#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr std::array<Index, 9> kBases = {1, 2, 3, 4, 5, 10, 15, 20, 25};

Array read_digits(const std::string& folder, const std::string& file) {
  const std::filesystem::path path = std::filesystem::path(folder) / "mnist" / file;
  if (!std::filesystem::exists(path))
    throw data_error(
        path,
        "isn't there: scripts/get-data mnist fetches it into the repository's data, and --data says where that is");
  Array digits = read_array(path);
  if (digits.type != ElementType::kU8 || digits.columns() != 784)
    throw data_error(path, "isn't MNIST: 28x28 bytes each");
  return digits;
}

std::unique_ptr<Samples> first_of(const Array& digits, Index count) {
  return view_samples(reinterpret_cast<const std::uint8_t*>(digits.data), digits.columns(),
                      std::min(count, digits.rows()), digits.columns());
}

// Which coefficients a reconstruction from k bases uses: the k largest of each image, or the same k, those of the most
// energy, for all.
enum class Choice { kLargest, kLeading };

// Mean squared error per pixel, pixels from 0 to 255, of reconstructions from k bases of a complete orthonormal
// dictionary: what is left out is the sum of the squares of the other coefficients.
std::vector<double> mean_squared_errors(const Model& model, const Samples& digits, Choice choice) {
  std::vector<double> sums(kBases.size());
  constexpr Index kBlock = 1000;
  for (Index first = 0; first < digits.size(); first += kBlock) {
    Matrix<double> squares =
        encode(model, digits, first, std::min(kBlock, digits.size() - first)).array().square().matrix();
    for (Index j = 0; j < squares.cols(); ++j) {
      double* const column = squares.col(j).data();
      if (choice == Choice::kLargest) {
        std::partial_sort(column, column + kBases.back(), column + squares.rows(), std::greater<>());
      }
      for (std::size_t i = 0; i < kBases.size(); ++i) sums[i] += squares.col(j).tail(squares.rows() - kBases[i]).sum();
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(digits.size() * digits.dimension());
  return sums;
}

void add_errors(const std::string& bases, const Model& model, Choice choice, const std::string& set,
                const Samples& digits, std::vector<Row>* rows) {
  const std::vector<double> errors = mean_squared_errors(model, digits, choice);
  for (std::size_t i = 0; i < kBases.size(); ++i) {
    rows->push_back({{"set", set}, {"bases", bases}, {"k", kBases[i]}, {"mean_squared_error", errors[i]}});
  }
}

std::vector<Row> run(const Scale& scale, const Context& context) {
  const Array train = read_digits(scale.data, "train-images-idx3-ubyte");
  const Array test = read_digits(scale.data, "t10k-images-idx3-ubyte");
  // The paper learns from 50 000 of the 60 000.
  const auto samples = first_of(train, scale.pick(1000, 10000, 50000));

  Options options = options_for(context, scale.seed);
  options.method = Method::kMsp;
  options.max_iterations = scale.pick(3, 100, 500);
  const FitResult msp = fit(*samples, options);
  if (context.stop.stop_requested()) return {};
  const FitResult pca = baselines::fit_pca(*samples, options_for(context, scale.seed));
  save_model(context.folder / "msp.npz", msp.model);
  save_model(context.folder / "pca.npz", pca.model);
  Array some = train;
  some.shape.front() = 20;
  write_matrix(context.folder / "digits.npy", to_matrix(some));

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
