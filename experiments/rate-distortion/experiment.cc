// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "baselines/pca.h"
#include "images/denoising/cosine.h"
#include "photographs.h"
#include "problem.h"

namespace orthodict::experiments {
namespace {

constexpr PatchShape kPatch = {.height = 8, .width = 8};
constexpr std::array<Index, 8> kKept = {1, 2, 4, 8, 12, 16, 24, 32};
constexpr std::array<double, 7> kSteps = {4, 8, 16, 32, 64, 128, 256};

double psnr_of(double mean_squared_error) { return 10 * std::log10(255.0 * 255.0 / mean_squared_error); }

// The mean number of bits per symbol, for an ideal code.
double entropy(const std::map<long, Index>& occurrences, Index total) {
  double bits = 0;
  for (const auto& [symbol, count] : occurrences) {
    const double share = static_cast<double>(count) / static_cast<double>(total);
    bits -= share * std::log2(share);
  }
  return bits;
}

// Columns are codes in an orthonormal dictionary, so errors of codes equal errors of patches.
void add_kept(const Matrix<double>& codes, std::vector<Row>* rows) {
  Matrix<double> squares = codes.array().square().matrix();
  for (Index j = 0; j < squares.cols(); ++j) {
    std::sort(squares.col(j).begin(), squares.col(j).end(), std::greater<>());
  }
  for (const Index k : kKept) {
    const double lost = squares.bottomRows(squares.rows() - k).sum() / static_cast<double>(squares.size());
    rows->push_back({{"kept", k}, {"step", nullptr}, {"bits_per_pixel", nullptr}, {"psnr", psnr_of(lost)}});
  }
}

// Uniform quantisation with one step for all coefficients, and a separate entropy code for each atom.
void add_quantised(const Matrix<double>& codes, std::vector<Row>* rows) {
  for (const double step : kSteps) {
    double bits = 0;
    double lost = 0;
    for (Index i = 0; i < codes.rows(); ++i) {
      std::map<long, Index> occurrences;
      for (const double value : codes.row(i)) {
        const long index = std::lround(value / step);
        ++occurrences[index];
        lost += std::pow(value - step * static_cast<double>(index), 2);
      }
      bits += entropy(occurrences, codes.cols());
    }
    rows->push_back({{"kept", nullptr},
                     {"step", step},
                     {"bits_per_pixel", bits / static_cast<double>(codes.rows())},
                     {"psnr", psnr_of(lost / static_cast<double>(codes.size()))}});
  }
}

Model cosines(const Vector<double>& mean) {
  const RowMatrix<double> atoms = images::cosine_transform(kPatch);
  return {.dictionary = atoms, .analysis = atoms, .mean = mean};
}

// The patches to learn from: those of the photograph itself, or of all the others.
std::unique_ptr<Samples> training_patches(const Scale& scale, const std::string& name,
                                          const std::string& learned_from) {
  std::vector<Image> images;
  for (const std::string& other : photographs(scale)) {
    if ((other == name) == (learned_from == "itself")) images.push_back(read_photograph(scale, other));
  }
  return image_patches(std::move(images), {.patch = kPatch, .stride = learned_from == "itself" ? 3 : 9});
}

std::vector<Row> run(const Scale& scale, const std::string& name, const std::string& learned_from,
                     const Context& context) {
  const auto training = training_patches(scale, name, learned_from);
  const auto patches = image_patches({read_photograph(scale, name)}, {.patch = kPatch, .stride = kPatch.height});
  Options options = options_for(context, scale.seed);
  options.center = true;
  const Model pca = baselines::fit_pca(*training, options).model;
  std::vector<std::pair<std::string, Model>> models = {{"dct", cosines(pca.mean)}, {"pca", pca}};
  options.method = Method::kMsp;
  options.dictionary = Dictionary::kOrthogonal;
  options.max_iterations = scale.pick(3, 200, 500);
  for (const std::string stretch : {"l4", "l3", "power:2.5"}) {
    options.stretch = stretch;
    models.emplace_back(stretch, fit(*training, options).model);
  }
  std::vector<Row> rows;
  for (const auto& [transform, model] : models) {
    const Matrix<double> codes = encode(model, *patches).transpose();
    std::vector<Row> points;
    add_kept(codes, &points);
    add_quantised(codes, &points);
    for (const Row& point : points) {
      rows.push_back({{"transform", transform}});
      rows.back().update(point);
    }
  }
  return rows;
}

std::vector<Cell> cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (const std::string& name : photographs(scale)) {
    for (const std::string learned_from : {"itself", "others"}) {
      cells.push_back({"points", {{"image", name}, {"learned_from", learned_from}}, 1, [=](const Context& context) {
                         return run(scale, name, learned_from, context);
                       }});
    }
  }
  return cells;
}

}  // namespace

Experiment rate_distortion() {
  return {.name = "rate-distortion",
          .title = "photographs from few coefficients and few bits of 8x8 patches, against DCT and PCA",
          .source = "beyond the paper",
          .cells = cells};
}

}  // namespace orthodict::experiments
