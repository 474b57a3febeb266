// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <chrono>
#include <filesystem>
#include <vector>

#include "orthodict/denoise.h"
#include "orthodict/io.h"
#include "photographs.h"
#include "random/stream.h"

namespace orthodict::experiments {
namespace {

// White Gaussian noise, neither rounded nor clipped.
Image with_noise(Image image, double sigma, std::uint64_t seed) {
  const random::Stream noise(seed, random::Purpose::kNoise);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] += static_cast<float>(sigma * noise.normal(static_cast<Index>(i), 0));
  }
  return image;
}

DenoiseOptions options_of(const Context& context, double sigma, Index patch, const std::string& transform) {
  return {.patch = {patch, patch},
          .sigma = sigma,
          .transform = parse_name<Transform>("transform", transform),
          .threads = context.threads,
          .stop = context.stop};
}

Row outcome(const Image& noisy, const Image& clean, const DenoiseOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const DenoiseResult result = denoise(noisy, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {{"psnr", psnr(result.image, clean)},
          {"ssim", ssim(result.image, clean)},
          {"kept", result.kept},
          {"iterations", result.iterations},
          {"seconds", elapsed.count()}};
}

// Saves the noisy image for other programs that must get the same noise. A row of a grey image is a row of the file.
void save_noisy(const Image& noisy, const std::filesystem::path& path) {
  write_matrix(path, Eigen::Map<const RowMatrix<float>>(noisy.pixels.data(), noisy.height, noisy.width * noisy.channels)
                         .cast<double>());
}

std::vector<Row> run(const Scale& scale, const std::string& name, bool color, double sigma, Index patch,
                     const Context& context) {
  const Image clean = read_photograph(scale, name, color);
  const Image noisy = with_noise(clean, sigma, scale.seed);
  if (!color && sigma == 25) save_noisy(noisy, context.folder / (name + ".npy"));
  std::vector<Row> rows;
  for (const std::string transform : {"dct", "l4", "learned"}) {
    Row row = {{"transform", transform}, {"estimate", estimate_noise(noisy)}};
    row.update(outcome(noisy, clean, options_of(context, sigma, patch, transform)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Cell> cells(const Scale& scale) {
  struct Setting {
    double sigma;
    Index patch;
  };
  const auto settings = scale.pick<std::vector<Setting>>({{25, 8}}, {{10, 8}, {25, 8}, {50, 8}, {25, 16}},
                                                         {{10, 8}, {25, 8}, {50, 8}, {10, 16}, {25, 16}, {50, 16}});
  std::vector<Cell> cells;
  const auto add = [&](const std::string& table, const std::string& name, bool color, double sigma, Index patch) {
    cells.push_back({table,
                     {{"image", name}, {"sigma", sigma}, {"patch", patch}},
                     static_cast<double>(patch * patch * patch * (color ? 3 : 1)),
                     [=](const Context& context) { return run(scale, name, color, sigma, patch, context); }});
  };
  for (const auto& [sigma, patch] : settings) {
    for (const std::string& name : photographs(scale)) add("grey", name, false, sigma, patch);
  }
  const auto in_color = scale.pick<std::vector<std::string>>(
      {"astronaut"}, {"astronaut", "barbara", "kodim23", "monarch", "sail", "tulips"},
      {"astronaut", "barbara", "kodim23", "monarch", "sail", "tulips"});
  for (const std::string& name : in_color) add("color", name, true, 25, 8);
  return cells;
}

}  // namespace

Experiment denoising() {
  return {.name = "denoising",
          .title = "noise removed from photographs by thresholds in a learned transform",
          .source = "beyond the paper",
          .times = true,
          .cells = cells};
}

}  // namespace orthodict::experiments
