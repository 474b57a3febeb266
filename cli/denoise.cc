// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "interrupt.h"
#include "orthodict/error.h"

namespace orthodict::cli {
namespace {

struct Quality {
  double psnr = 0;
  double ssim = 0;
};

struct Denoise {
  DenoiseOptions options;
  std::string input;
  std::string output;
  std::string patch = "8x8";
  std::string transform = "learned";
  std::string reference_path;
  std::string model_path;
  bool json = false;

  int run() {
    options.patch = parse_patch_shape("--patch", patch);
    options.transform = parse_name<Transform>("--transform", transform);
    options.validate();
    const Image noisy = read_image(input);
    std::optional<Image> reference;
    if (!reference_path.empty()) reference = read_reference(noisy);
    require_image_name("--output", output, noisy);
    require_model_name("--model", model_path);
    check_outputs({{"--output", output}, {"--model", model_path}}, {input, reference_path}, json);
    stop_on_interrupt();
    options.stop = stop_token();

    const auto start = std::chrono::steady_clock::now();
    const DenoiseResult result = denoise(noisy, options, input);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    write_image(output, result.image);
    if (!model_path.empty()) save_model(output_at(model_path), result.model);
    if (json) {
      print_json(to_json(result, noisy, reference, elapsed.count()));
    } else {
      print_text(result, noisy, reference, elapsed.count());
    }
    return kDone;
  }

  [[nodiscard]] Image read_reference(const Image& noisy) const {
    Image reference = read_image(reference_path);
    if (reference.height != noisy.height || reference.width != noisy.width || reference.channels != noisy.channels) {
      throw data_error(reference_path, fmt::format("{}x{} pixels of {} channels, but {} has {}x{} of {}",
                                                   reference.height, reference.width, reference.channels, input,
                                                   noisy.height, noisy.width, noisy.channels));
    }
    if (std::min(noisy.height, noisy.width) < kLeastSsimSide) {
      throw data_error(reference_path, fmt::format("{}x{} pixels; SSIM needs at least {} in both directions",
                                                   reference.height, reference.width, kLeastSsimSide));
    }
    return reference;
  }

  static Quality quality_of(const Image& image, const Image& reference) {
    return {psnr(image, reference), ssim(image, reference)};
  }

  // The quality of the file as written, including rounding and JPEG compression.
  [[nodiscard]] Quality quality_of_output(const Image& reference) const {
    return quality_of(read_image(output), reference);
  }

  [[nodiscard]] Json to_json(const DenoiseResult& result, const Image& noisy, const std::optional<Image>& reference,
                             double seconds) const {
    Json object = {{"height", noisy.height},
                   {"width", noisy.width},
                   {"channels", noisy.channels},
                   {"transform", transform},
                   {"sigma", result.sigma},
                   {"sigma_estimated", !options.sigma.has_value()},
                   {"threshold", options.threshold},
                   {"iterations", result.iterations},
                   {"kept", result.kept},
                   {"seconds", seconds},
                   {"output", output}};
    if (reference) {
      const auto entry = [](const Quality& quality) {
        return Json{{"psnr", std::isfinite(quality.psnr) ? Json(quality.psnr) : Json("inf")}, {"ssim", quality.ssim}};
      };
      object["noisy"] = entry(quality_of(noisy, *reference));
      object["denoised"] = entry(quality_of_output(*reference));
    }
    return object;
  }

  void print_text(const DenoiseResult& result, const Image& noisy, const std::optional<Image>& reference,
                  double seconds) const {
    fmt::print("{}: {}x{} pixels in {}, sigma {:.2f}{}, {} transform of {} patches in {:.2f} s\n", output, noisy.height,
               noisy.width, noisy.channels == 3 ? "colour" : "grey", result.sigma, options.sigma ? "" : " (estimated)",
               transform, patch, seconds);
    constexpr double kNone = 0.01;  // rounding in single precision, invisible in 8 bits
    if (!options.sigma && result.sigma < kNone) {
      fmt::print("no noise was found, so none was removed; --sigma sets the noise level\n");
    }
    fmt::print("a patch keeps {:.1f} of {} coefficients\n", result.kept, result.model.atoms() - noisy.channels);
    if (!reference) return;
    const Quality before = quality_of(noisy, *reference);
    const Quality after = quality_of_output(*reference);
    fmt::print("PSNR {:.2f} dB -> {:.2f} dB, SSIM {:.4f} -> {:.4f}\n", before.psnr, after.psnr, before.ssim,
               after.ssim);
  }
};

}  // namespace

void add_denoise(App& app, Run* run) {
  const auto command = std::make_shared<Denoise>();
  add_file_option(app, "image", &command->input, "Noisy image: PNG, JPEG, PGM or PPM, grey or colour")->required();
  add_file_option(app, "-o,--output", &command->output,
                  "Write the denoised image to this file: .png, .jpg, .pgm or .ppm")
      ->required();
  app.add_option("--sigma", command->options.sigma,
                 "Standard deviation of the noise, on the scale of pixels 0 to 255 (default: estimated)");
  app.add_option("--patch", command->patch,
                 "Height x width of the patches; 16x16 is better on fine texture, but slower")
      ->capture_default_str()
      ->value_name("HxW");
  app.add_option("--transform", command->transform, describe_values<Transform>("Orthogonal transform of patches:"))
      ->capture_default_str()
      ->value_name("NAME");
  app.add_option("--threshold", command->options.threshold, "Coefficients below this multiple of sigma are set to zero")
      ->capture_default_str();
  add_file_option(app, "--reference", &command->reference_path, "Print PSNR and SSIM against this clean image");
  add_file_option(app, "--model", &command->model_path,
                  "Also save the transform to this file (.npz), for orthodict atoms");
  add_integer_option(app, "--seed", &command->options.seed, "Seed of the choice of patches to learn from");
  add_integer_option(app, "--threads", &command->options.threads,
                     "Number of threads; the result doesn't depend on it (default: all cores)");
  add_json_flag(app, &command->json);
  app.examples({"orthodict denoise noisy.png --output clean.png",
                "orthodict denoise noisy.png --sigma 20 --reference photo.png --output clean.png"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
