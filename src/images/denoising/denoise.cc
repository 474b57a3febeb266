// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "engine/workers.h"
#include "images/denoising/clipping.h"
#include "images/denoising/noise.h"
#include "images/denoising/passes.h"
#include "images/denoising/planes.h"
#include "images/denoising/stabilize.h"
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

template <>
std::span<const Named<Quality>> names_of() {
  static constexpr Named<Quality> kNames[] = {
      {Quality::kBest, "best", "up to 32 similar patches are filtered together"},
      {Quality::kFast, "fast",
       "up to 16, from a smaller neighbourhood: half the time, and 0.2 to 0.3 dB less on photographs"},
  };
  return kNames;
}

template <>
std::span<const Named<NoiseModel>> names_of() {
  static constexpr Named<NoiseModel> kNames[] = {
      {NoiseModel::kAuto, "auto", "poisson if the noise clearly grows with the brightness, else gaussian"},
      {NoiseModel::kGaussian, "gaussian", "the same noise everywhere"},
      {NoiseModel::kPoisson, "poisson", "the variance of the noise grows with the brightness, as in cameras"},
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
  if (sigma && noise_model == NoiseModel::kPoisson) {
    throw option_error("noise_model", "poisson", "auto or gaussian if sigma is given; poisson estimates the noise");
  }
  if (!(threshold > 0 && std::isfinite(threshold))) {
    throw option_error("threshold", fmt::format("{}", threshold), "a finite number > 0");
  }
  if (threads && (*threads < 1 || *threads > 4096)) {
    throw option_error("threads", std::to_string(*threads), "an integer from 1 to 4096");
  }
}

namespace {

using images::Pass;

// Values of all planes in a strip. It takes four times as many in memory, for the image, the pilot, sums and weights.
constexpr Index kStrip = 3'000'000;

std::vector<Pass> passes_of(const DenoiseOptions& options) {
  // Distances that suit patches of 8×8, as shares of a patch's side.
  const auto step = [&](Index of_eight) {
    return std::max<Index>(1, std::min(options.patch.height, options.patch.width) * of_eight / 8);
  };
  using enum Pass::Shrinkage;
  const bool is_best = options.quality == Quality::kBest;
  const Index window = is_best ? 19 : 9;
  return {{.shrinkage = kThreshold,
           .strength = options.threshold,
           .step = step(is_best ? 3 : 4),
           .search = {.window = window, .most = is_best ? 16 : 8, .reach = 4}},
          {.shrinkage = kWiener,
           .strength = 1,
           .step = step(is_best ? 3 : 4),
           .search = {.window = window, .most = is_best ? 32 : 16, .reach = 0.8F}}};
}

Model model_of(const std::vector<RowMatrix<double>>& planes, const DenoiseOptions& used, double sigma) {
  std::vector<Index> shape = {used.patch.height, used.patch.width};
  if (planes.size() > 1) shape.push_back(static_cast<Index>(planes.size()));
  const nlohmann::ordered_json metadata = {{"version", ORTHODICT_VERSION},
                                           {"sample_shape", shape},
                                           {"denoise",
                                            {{"transform", name_of(used.transform)},
                                             {"sigma", sigma},
                                             {"threshold", used.threshold},
                                             {"quality", name_of(used.quality)},
                                             {"seed", used.seed}}}};
  const RowMatrix<double> atoms = images::join_atoms(planes);
  return {
      .dictionary = atoms, .analysis = atoms, .mean = Vector<double>::Zero(atoms.cols()), .metadata = metadata.dump()};
}

// What is done to an image before white noise is removed from it, and undone after.
class NoisyImage {
 public:
  NoisyImage(Image image, const DenoiseOptions& options, const std::string& name)
      : image_(std::move(image)), clipping_(images::find_clipping(image_)) {
    if (!options.sigma) images::require_estimable(image_, name);
    if (!options.sigma && options.noise_model != NoiseModel::kGaussian) {
      poisson_ = images::signal_noise(image_);
      is_poisson_ = options.noise_model == NoiseModel::kPoisson ? poisson_.gain > 0 : poisson_.is_clear;
    }
    if (is_poisson_) {
      images::stabilize(poisson_, &image_);
      sigma_.assign(static_cast<std::size_t>(image_.channels), 1);
    } else if (options.sigma) {
      sigma_.assign(static_cast<std::size_t>(image_.channels), *options.sigma);
    } else {
      sigma_ = images::plane_noise(image_);
    }
  }

  [[nodiscard]] Image& image() { return image_; }
  // Of the planes of image().
  [[nodiscard]] const std::vector<double>& sigma() const { return sigma_; }

  // Moves the denoised image to the result.
  void restore(DenoiseResult* result) {
    if (is_poisson_) {
      images::unstabilize(poisson_, &image_);
      result->noise_model = NoiseModel::kPoisson;
      result->gain = poisson_.gain;
      result->offset = poisson_.offset;
    } else {
      images::undo_clipping_bias(clipping_, channel_sigma(), &image_);
    }
    if (image_.depth != 32) {
      for (float& value : image_.pixels) value = std::clamp(value, 0.0F, 255.0F);
    }
    result->sigma = std::sqrt(mean_variance());
    result->image = std::move(image_);
  }

 private:
  [[nodiscard]] std::vector<double> channel_sigma() const {
    const RowMatrix<float> rotation = images::plane_rotation(image_.channels);
    std::vector<double> found;
    for (Index c = 0; c < image_.channels; ++c) {
      double variance = 0;
      for (std::size_t plane = 0; plane < sigma_.size(); ++plane) {
        const double part = static_cast<double>(rotation(static_cast<Index>(plane), c)) * sigma_[plane];
        variance += part * part;
      }
      found.push_back(std::sqrt(variance));
    }
    return found;
  }

  [[nodiscard]] double mean_variance() const {
    double sum = 0;
    if (is_poisson_) {
      for (const float value : image_.pixels) sum += poisson_.gain * static_cast<double>(value) + poisson_.offset;
      return std::max(0.0, sum / static_cast<double>(image_.pixels.size()));
    }
    for (const double sigma : sigma_) sum += sigma * sigma;
    return sum / static_cast<double>(sigma_.size());
  }

  Image image_;
  images::Clipping clipping_;
  images::SignalNoise poisson_;
  bool is_poisson_ = false;
  std::vector<double> sigma_;
};

}  // namespace

DenoiseResult denoise(Image noisy, const DenoiseOptions& options, const std::string& name) {
  options.validate();
  images::require_finite(noisy, name);
  DenoiseOptions used = options;
  DenoiseResult result;
  std::vector<RowMatrix<double>> atoms;
  if (options.model) atoms = images::transforms_of(*options.model, noisy.channels, &used.patch);
  (void)PatchGrid(noisy.height, noisy.width, {.patch = used.patch}, name);  // throws if smaller than a patch
  NoisyImage work(std::move(noisy), used, name);
  images::Transforms transforms{.patch = used.patch, .sigma = work.sigma()};
  for (std::size_t plane = 0; plane < transforms.sigma.size(); ++plane) {
    if (!options.model) {
      images::PatchTransform learned = images::make_transform(images::plane_of(work.image(), static_cast<Index>(plane)),
                                                              transforms.sigma[plane], used);
      result.iterations += learned.iterations;
      result.too_few_patches = result.too_few_patches || learned.too_few_patches;
      atoms.push_back(std::move(learned.atoms));
    }
    transforms.atoms.push_back(atoms[plane].cast<float>());
  }
  engine::Workers workers(engine::threads_or_all(options.threads));
  result.kept = images::run_passes(passes_of(used), transforms, kStrip, &work.image(), &workers, options.progress, [&] {
                  if (options.stop.stop_requested()) throw Error(Fault::kStopped, "interrupted");
                }).kept;
  work.restore(&result);
  result.model = options.model ? *options.model : model_of(atoms, used, result.sigma);
  return result;
}

}  // namespace orthodict
