// SPDX-License-Identifier: Apache-2.0
// encode_and_denoise FOLDER: removes noise from a picture in one call, then step by step. The pictures are written to
// FOLDER.
#include <orthodict/orthodict.h>

#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <random>

namespace {

// Rings that get finer towards the border, and a square.
orthodict::Image draw(orthodict::Index side) {
  orthodict::Image image{.height = side, .width = side};
  image.pixels.resize(static_cast<std::size_t>(side * side));
  for (orthodict::Index y = 0; y < side; ++y) {
    for (orthodict::Index x = 0; x < side; ++x) {
      const bool in_square = 4 * x < side && 4 * y < side;
      const auto distance = static_cast<double>(x * x + y * y);
      image.at(y, x) = static_cast<float>(in_square ? 200 : 128 + 90 * std::sin(distance / 500));
    }
  }
  return image;
}

orthodict::Image with_noise(orthodict::Image image, float sigma) {
  std::mt19937_64 generator(1);
  std::normal_distribution<float> noise(0, sigma);
  for (float& pixel : image.pixels) pixel += noise(generator);
  return image;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: encode_and_denoise FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const orthodict::Image picture = draw(160);
  const orthodict::Image noisy = with_noise(picture, 20);

  // In one call. The noise level is estimated, and the dictionary learned from the noisy patches.
  const orthodict::DenoiseResult result = orthodict::denoise(noisy);
  std::cout << std::fixed << std::setprecision(1) << "estimated noise: " << result.sigma << "\n";

  // Step by step, with the model that was learned: the codes of all patches, where only coefficients clearly above the
  // noise are kept; the patches of these codes; and at each pixel the mean of the patches that cover it.
  const orthodict::PatchOptions every_patch = {.patch = {8, 8}, .stride = 1};
  const auto patches = orthodict::image_patches({noisy}, every_patch);
  const orthodict::SparseCodes codes =
      orthodict::encode_sparse(result.model, *patches, {.threshold = 2.7 * result.sigma});
  const orthodict::RowMatrix<double> smooth = orthodict::decode(result.model, codes);
  orthodict::PatchAverage average(noisy.height, noisy.width, every_patch);
  average.add(0, smooth.transpose());
  const orthodict::Image step_by_step = average.image();
  const double kept = static_cast<double>(codes.nonZeros()) / static_cast<double>(codes.size());
  std::cout << codes.rows() << " patches, " << 100 * kept << " % of their coefficients kept\n";

  orthodict::write_image(folder / "noisy.pgm", noisy);
  orthodict::write_image(folder / "clean.pgm", result.image);
  orthodict::save_model(folder / "model.npz", result.model);

  const auto report = [&](const char* name, const orthodict::Image& image) {
    const double quality = orthodict::psnr(image, picture);
    std::cout << name << ": " << quality << " dB\n";
    return quality;
  };
  const double before = report("noisy", noisy);
  const double after = report("in one call", result.image);
  const double stepwise = report("step by step", step_by_step);
  return after > before + 6 && stepwise > before + 6 ? 0 : 1;
}
