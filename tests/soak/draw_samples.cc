// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "plan.h"

namespace orthodict::soak {
namespace {

constexpr Index kMostFeatures = 64;

Index draw_size(Trait trait, Index features, Draw* draw) {
  if (trait == Trait::kFewSamples) return draw->integer(1, features);
  const bool many = draw->chance(0.05);
  return draw->integer(1, (many ? 100 : 20) * features);
}

SyntheticOptions draw_synthetic(Trait trait, Draw* draw) {
  SyntheticOptions options;
  options.dimension = draw->integer(1, kMostFeatures);
  options.samples = draw_size(trait, options.dimension, draw);
  options.theta = trait == Trait::kGaussian ? 1 : 0.05 + 0.5 * draw->uniform();
  options.condition = draw->chance(0.5) ? 1 : draw->size(1, 1e3);
  options.noise = draw->chance(0.5) ? 0 : draw->size(1e-6, 0.3);
  options.outliers = draw->chance(0.1) ? 0.2 : 0;
  options.seed = draw->bits();
  return options;
}

void scale_features(bool single, Matrix<double>* y, Draw* draw) {
  const bool alike = draw->chance(0.5);
  const double all = single ? draw->size(1e-15, 1e15) : draw->size(1e-100, 1e100);
  for (Index i = 0; i < y->rows(); ++i) y->row(i) *= alike ? all : draw->size(1e-6, 1e6);
}

Matrix<double> draw_matrix(Trait trait, bool single, Draw* draw) {
  Matrix<double> y = Synthetic(draw_synthetic(trait, draw)).samples().transpose();
  const Index n = y.rows();
  const Index feature = draw->integer(0, n - 1);
  const Index other = draw->integer(0, n - 1);
  switch (trait) {
    case Trait::kOffset:
      y.array() += draw->size(0.1, 1e4);
      break;
    case Trait::kUnits:
      scale_features(single, &y, draw);
      break;
    case Trait::kConstantFeature:
      y.row(feature).setConstant(draw->chance(0.5) ? 0 : 7);
      break;
    case Trait::kDuplicateFeature:
      y.row(feature) = y.row(other).eval();
      break;
    case Trait::kLowRank: {
      const Index rank = draw->integer(1, n);
      for (Index i = rank; i < n; ++i) y.row(i) = y.row(i % rank) - 0.5 * y.row((i + 1) % rank);
      break;
    }
    case Trait::kRepeatedSamples:
      for (Index j = 1; j < y.cols(); j += 2) y.col(j) = y.col(j - 1).eval();
      break;
    case Trait::kNone:
    case Trait::kFewSamples:
    case Trait::kGaussian:
      break;
  }
  return y;
}

// Waves and noise.
Image draw_picture(Draw* draw) {
  Image image{.height = draw->integer(8, 40), .width = draw->integer(8, 40), .channels = draw->chance(0.3) ? 3 : 1};
  image.depth = draw->chance(0.2) ? 16 : 8;
  image.pixels.resize(static_cast<std::size_t>(image.height * image.width * image.channels));
  const double frequency = draw->size(0.01, 1);
  double phase = 0;
  for (float& pixel : image.pixels) {
    pixel = static_cast<float>(std::round(128 + 90 * std::sin(phase) + 30 * draw->uniform()));
    phase += frequency;
  }
  return image;
}

// Only the shape: the numbers are in the picture.
void draw_patches(Plan* plan, Draw* draw) {
  plan->picture = draw_picture(draw);
  PatchOptions& cut = plan->cut;
  cut.patch = {.height = draw->integer(1, 8), .width = draw->integer(1, 8)};
  cut.stride = draw->integer(1, 4);
  cut.color = draw->chance(0.2) && cut.patch.height * cut.patch.width <= kMostFeatures / 3;
  const PatchGrid grid(plan->picture.height, plan->picture.width, cut, "picture");
  plan->y.setZero(cut.patch.height * cut.patch.width * (cut.color ? 3 : 1), grid.size());
}

void draw_foreign(Plan* plan, Draw* draw) {
  constexpr const char* kMatrices[] = {
      "one.h5", "deflated.h5", "hdf5.mat", "compressed.mat:X", "plain.mat", "big_endian_fortran.npy", "deflated.npz:X"};
  constexpr const char* kStacks[] = {"many.h5:/stack", "stack.idx.gz", "deflated.npz:stack"};
  const bool stack = draw->chance(0.3);
  plan->foreign = stack ? draw->one_of(kStacks) : draw->one_of(kMatrices);
  plan->y = stack ? Matrix<double>::Zero(12, 2) : Matrix<double>::Zero(4, 3);
}

}  // namespace

void draw_samples(Plan* plan, Draw* draw) {
  const bool picture = plan->form == Form::kPatches || plan->form == Form::kPicture;
  if (!picture && plan->form != Form::kForeign) {
    plan->y = draw_matrix(plan->trait, plan->type == ElementType::kF32, draw);
    return;
  }
  plan->trait = Trait::kNone;
  picture ? draw_patches(plan, draw) : draw_foreign(plan, draw);
}

}  // namespace orthodict::soak
