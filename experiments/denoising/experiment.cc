// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <chrono>
#include <vector>

#include "orthodict/denoise.h"
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

struct Program {
  const char* transform;
  const char* quality;
};
constexpr Program kPrograms[] = {
    {"dct", "fast"}, {"l4", "fast"}, {"learned", "fast"}, {"dct", "best"}, {"learned", "best"}};

DenoiseOptions options_of(const Context& context, double sigma, const Program& program) {
  return {.sigma = sigma,
          .quality = parse_name<Quality>("quality", program.quality),
          .transform = parse_name<Transform>("transform", program.transform),
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

std::vector<Row> run(const Scale& scale, const std::string& name, bool color, double sigma, const Context& context) {
  const Image clean = read_photograph(scale, name, color);
  const Image noisy = with_noise(clean, sigma, scale.seed);
  std::vector<Row> rows;
  for (const Program& program : kPrograms) {
    Row row = {{"transform", program.transform}, {"quality", program.quality}, {"estimate", estimate_noise(noisy)}};
    row.update(outcome(noisy, clean, options_of(context, sigma, program)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Cell> cells(const Scale& scale) {
  const auto sigmas = scale.pick<std::vector<double>>({25}, {15, 25, 50}, {10, 15, 25, 50});
  std::vector<Cell> cells;
  const auto add = [&](const std::string& table, const std::string& name, bool color, double sigma) {
    cells.push_back({table, {{"image", name}, {"sigma", sigma}}, color ? 3.0 : 1.0, [=](const Context& context) {
                       return run(scale, name, color, sigma, context);
                     }});
  };
  for (const double sigma : sigmas) {
    for (const std::string& name : photographs(scale)) add("grey", name, false, sigma);
  }
  const auto in_color = scale.pick<std::vector<std::string>>(
      {"astronaut"}, {"astronaut", "barbara", "kodim23", "monarch", "sail", "tulips"},
      {"astronaut", "barbara", "kodim23", "monarch", "sail", "tulips"});
  for (const std::string& name : in_color) add("color", name, true, 25);
  return cells;
}

}  // namespace

Experiment denoising() {
  return {.name = "denoising",
          .title = "noise removed from photographs in a learned transform",
          .source = "beyond the paper",
          .times = true,
          .cells = cells};
}

}  // namespace orthodict::experiments
