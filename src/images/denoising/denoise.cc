// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/workers.h"
#include "images/denoising/filter.h"
#include "images/denoising/planes.h"
#include "images/denoising/transform.h"
#include "orthodict/error.h"
#include "orthodict/version.h"

namespace orthodict {

template <>
std::span<const Named<Transform>> names_of() {
  static constexpr Named<Transform> kNames[] = {
      {Transform::kLearned, "learned",
       "match, stretch, project with the hard threshold, starting from the cosine transform"},
      {Transform::kL4, "l4", "the paper's l4 stretch, from a random start, on randomly chosen patches"},
      {Transform::kDct, "dct", "the cosine transform, without learning"},
  };
  return kNames;
}

void DenoiseOptions::validate() const {
  PatchOptions{.patch = patch}.validate();
  constexpr Index kMostPixels = 1024;
  if (patch.height > kMostPixels || patch.width > kMostPixels / patch.height) {
    throw option_error("patch", fmt::format("{}x{}", patch.height, patch.width),
                       fmt::format("of at most {} pixels, such as 32x32", kMostPixels));
  }
  if (sigma && !(*sigma > 0 && std::isfinite(*sigma))) {
    throw option_error("sigma", fmt::format("{}", *sigma), "a finite number > 0");
  }
  if (!(threshold > 0 && std::isfinite(threshold))) {
    throw option_error("threshold", fmt::format("{}", threshold), "a finite number > 0");
  }
  if (threads && (*threads < 1 || *threads > 4096)) {
    throw option_error("threads", std::to_string(*threads), "an integer from 1 to 4096");
  }
}

namespace {

Model model_of(const std::vector<RowMatrix<double>>& planes, const DenoiseOptions& used) {
  std::vector<Index> shape = {used.patch.height, used.patch.width};
  if (planes.size() > 1) shape.push_back(static_cast<Index>(planes.size()));
  const nlohmann::ordered_json metadata = {{"version", ORTHODICT_VERSION},
                                           {"sample_shape", shape},
                                           {"denoise",
                                            {{"transform", name_of(used.transform)},
                                             {"sigma", *used.sigma},
                                             {"threshold", used.threshold},
                                             {"seed", used.seed}}}};
  const RowMatrix<double> atoms = images::join_atoms(planes);
  return {
      .dictionary = atoms, .analysis = atoms, .mean = Vector<double>::Zero(atoms.cols()), .metadata = metadata.dump()};
}

}  // namespace

DenoiseResult denoise(const Image& noisy, const DenoiseOptions& options, const std::string& name) {
  options.validate();
  images::require_finite(noisy, name);
  (void)PatchGrid(noisy.height, noisy.width, {.patch = options.patch},
                  name);  // throws if the image is smaller than a patch
  DenoiseOptions used = options;
  if (!used.sigma) used.sigma = estimate_noise(noisy, name);
  DenoiseResult result{.image = noisy, .sigma = *used.sigma};
  engine::Workers workers(engine::threads_or_all(options.threads));

  std::vector<Image> planes = images::split_planes(noisy);
  std::vector<RowMatrix<double>> atoms;
  for (Image& plane : planes) {
    images::PatchTransform transform = images::make_transform(plane, used);
    images::Filtered filtered =
        images::filter(plane, used.patch, transform.atoms, used.threshold * *used.sigma, used.stop, &workers);
    plane = std::move(filtered.image);
    result.kept += filtered.kept;
    result.iterations += transform.iterations;
    atoms.push_back(std::move(transform.atoms));
  }
  result.image = images::join_planes(planes);
  for (float& value : result.image.pixels) value = std::clamp(value, 0.0F, 255.0F);
  result.model = model_of(atoms, used);
  return result;
}

}  // namespace orthodict
