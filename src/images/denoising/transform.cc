// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "images/denoising/cosine.h"
#include "images/denoising/planes.h"
#include "linalg/blas.h"
#include "orthodict/error.h"
#include "orthodict/fit.h"
#include "random/stream.h"

namespace orthodict::images {
namespace {

double energy(const Vector<float>& patch) {
  return static_cast<double>((patch.array() - patch.mean()).matrix().squaredNorm());
}

// Two standard deviations above the expected energy of a patch of pure noise.
double energy_of_noise(Index n, double sigma) {
  const auto freedom = static_cast<double>(n - 1);
  return sigma * sigma * freedom * (1 + 2 * std::sqrt(2 / freedom));
}

// Chooses random patches to learn from, as columns. Patches with energy above `least_energy` are preferred; others only
// fill up when these are few. The number of patches falls with their size, so that a pass takes about the same time.
Matrix<float> choose_patches(const Samples& patches, double least_energy, std::uint64_t seed) {
  constexpr Index kMostLooked = 1'000'000;
  const Index n = patches.dimension();
  const Index enough = std::min<Index>(100 * n, 40'000);
  const Index most = std::min(patches.size(), std::max<Index>(4'000'000 / n, enough));
  const Index least = std::min(patches.size(), enough);

  const random::Permutation order(patches.size(), random::Stream(seed, random::Purpose::kSubsample));
  Matrix<float> chosen(n, most);
  Vector<float> patch(n);
  Index active = 0;
  Index smooth = 0;  // stored from the end
  for (Index j = 0; j < std::min(patches.size(), kMostLooked) && active < most; ++j) {
    (void)patches.block(order[j], 1, patch.data());
    if (energy(patch) > least_energy) {
      chosen.col(active++) = patch;
    } else if (active + smooth < least) {
      chosen.col(most - ++smooth) = patch;
    }
  }
  const Index filled = std::min(smooth, std::max<Index>(0, least - active));
  chosen.middleCols(active, filled) = chosen.rightCols(filled).eval();
  chosen.conservativeResize(n, active + filled);
  return chosen;
}

// The coefficients of patches with respect to the rows of a basis.
Matrix<float> coefficients_of(const Matrix<float>& patches, const RowMatrix<double>& basis) {
  const Matrix<float> columns = basis.transpose().cast<float>();
  return linalg::multiply(columns, linalg::Op::kTranspose, patches, linalg::Op::kNone);
}

// `threshold` is relative to the rms, as in stretches.
Options learning_options(const DenoiseOptions& options, double threshold) {
  Options learning;
  learning.method = Method::kMsp;
  learning.dictionary = Dictionary::kOrthogonal;
  if (options.transform == Transform::kLearned) {
    learning.stretch = fmt::format("hard:{:.17g}", threshold);
    learning.init = Initialization::kIdentity;
  } else {
    learning.stretch = "l4";
  }
  learning.max_iterations = 120;
  learning.tolerance = 1e-3;
  learning.precision = Precision::kMixed;
  learning.seed = options.seed;
  learning.threads = options.threads;
  learning.stop = options.stop;
  return learning;
}

}  // namespace

// Constant components are removed before learning and restored afterwards, so that they are neither learned nor
// thresholded. Learning happens in the coordinates of the cosine transform's other rows, in which the start, the cosine
// transform, is the identity.
PatchTransform make_transform(Image plane, double sigma, const DenoiseOptions& options) {
  PatchTransform transform{.atoms = cosine_transform(options.patch)};
  const Index varying = transform.atoms.rows() - 1;
  const double threshold = options.threshold * sigma;
  if (options.transform == Transform::kDct || varying == 0 || threshold == 0) return transform;

  const RowMatrix<double> cosines = transform.atoms.bottomRows(varying);
  const Index pixels = plane.height * plane.width;
  std::vector<Image> images;
  images.push_back(std::move(plane));
  const auto patches = image_patches(std::move(images), {.patch = options.patch}, "image");
  // Smooth patches contain only noise, which would be learned. The paper's method uses all patches.
  const double least_energy =
      options.transform == Transform::kLearned ? energy_of_noise(patches->dimension(), sigma) : -1;
  const Matrix<float> part = coefficients_of(choose_patches(*patches, least_energy, options.seed), cosines);
  transform.too_few_patches = pixels < 2 * transform.atoms.size();
  // No coefficient exceeds the noise, so there is nothing to learn.
  if (static_cast<double>(part.cwiseAbs().maxCoeff()) < threshold) return transform;

  const double rms = std::sqrt(part.cast<double>().squaredNorm() / static_cast<double>(part.size()));
  const FitResult learned = fit(*samples_in_columns(part), learning_options(options, threshold / rms));
  if (learned.summary.termination == Termination::kStopped) throw Error(Fault::kStopped, "interrupted");
  transform.atoms.bottomRows(varying) = learned.model.dictionary * cosines;
  transform.iterations = learned.summary.iterations;
  return transform;
}

std::vector<RowMatrix<double>> transforms_of(const Model& model, Index channels, PatchShape* patch) {
  constexpr double kRounding = 1e-6;
  const auto refuse = [](const std::string& what) {
    return option_error("model", what, "a transform that denoise made (--model)");
  };
  const std::vector<Index> shape = sample_shape(model);
  if (!is_picture(shape)) throw refuse("a model of samples that aren't patches");
  const Index of_model = shape.size() == 3 ? shape[2] : 1;
  const RowMatrix<double>& atoms = model.dictionary;
  const Index size = shape[0] * shape[1] * of_model;
  if (atoms.rows() != size || atoms.cols() != size)
    throw refuse(fmt::format("{} atoms of {} values", atoms.rows(), atoms.cols()));
  if (!((atoms * atoms.transpose() - RowMatrix<double>::Identity(size, size)).cwiseAbs().maxCoeff() < kRounding)) {
    throw refuse("a dictionary that isn't orthogonal");
  }
  std::vector<RowMatrix<double>> planes = split_atoms(atoms, of_model);
  bool is_constant_first = (join_atoms(planes) - atoms).cwiseAbs().maxCoeff() < kRounding;
  for (const RowMatrix<double>& plane : planes) {
    is_constant_first = is_constant_first && (plane.row(0).array() - plane(0, 0)).abs().maxCoeff() < kRounding;
  }
  if (!is_constant_first) throw refuse("a model without constant atoms");
  *patch = {.height = shape[0], .width = shape[1]};
  planes.resize(static_cast<std::size_t>(channels), planes.front());
  return planes;
}

}  // namespace orthodict::images
