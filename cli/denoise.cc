// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "command.h"
#include "images/image_format.h"
#include "interrupt.h"
#include "orthodict/error.h"
#include "progress.h"

namespace orthodict::cli {
namespace {

struct Quality {
  double psnr = 0;
  double ssim = 0;
};

// One image, and where it goes.
struct Task {
  std::string input;
  std::string output;
};

// All of standard input.
std::string read_standard_input() {
  std::string bytes;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), stdin)) bytes.append(buffer, count);
  return bytes;
}

Image read_image_at(const std::string& path) {
  if (!is_standard_stream(path)) return read_image(path);
  const std::string bytes = read_standard_input();
  return read_image(std::as_bytes(std::span(bytes)), kStandardInput);
}

// The images that a path stands for: itself, or those in the folder.
std::vector<std::string> images_at(const std::string& path) {
  return std::filesystem::is_directory(path) ? images::images_in(path) : std::vector{path};
}

struct Denoise {
  DenoiseOptions options;
  std::vector<std::string> inputs;
  std::string output;
  std::string patch = "8x8";
  std::string transform = "learned";
  std::string quality = "best";
  std::string noise_model = "auto";
  std::string reference_path;
  std::string model_path;
  bool json = false;

  int run() {
    options.patch = parse_patch_shape("--patch", patch);
    options.quality = parse_name<orthodict::Quality>("--quality", quality);
    options.noise_model = parse_name<NoiseModel>("--noise-model", noise_model);
    if (transform.ends_with(".npz")) {
      options.model = load_model(transform);
    } else {
      options.transform = parse_name<Transform>("--transform", transform);
    }
    options.validate();
    require_model_name("--model", model_path);
    const std::vector<Task> tasks = plan();
    stop_on_interrupt();
    options.stop = stop_token();

    Json reports = Json::array();
    for (const Task& task : tasks) reports.push_back(run_one(task));
    if (json) print_json(tasks.size() == 1 && !is_for_folder() ? reports.front() : Json{{"images", reports}});
    return kDone;
  }

  // Whether --output is a folder: several images were given, or a folder, or a folder of that name exists.
  [[nodiscard]] bool is_for_folder() const {
    return inputs.size() > 1 || std::filesystem::is_directory(inputs.front()) || std::filesystem::is_directory(output);
  }

  // Checks all names before any work.
  [[nodiscard]] std::vector<Task> plan() const {
    std::vector<Task> tasks;
    if (!is_for_folder()) {
      tasks.push_back({inputs.front(), output});
    } else {
      if (is_standard_stream(output)) throw option_error("--output", output, "a folder: there are several images");
      for (const std::string& input : inputs) {
        for (const std::string& path : images_at(input)) {
          if (is_standard_stream(path)) throw data_error(path, "standard input has no name for the folder of --output");
          tasks.push_back({path, (std::filesystem::path(output) / name_in_folder(path)).string()});
        }
      }
      if (!reference_path.empty())
        throw option_error("--reference", reference_path, "left out: there are several images");
      if (!model_path.empty()) throw option_error("--model", model_path, "left out: there are several images");
      std::error_code error;
      std::filesystem::create_directories(output, error);
      if (error) throw option_error("--output", output, "a folder that can be created: " + error.message());
    }
    Outputs outputs;
    std::vector<std::string> read;
    for (const Task& task : tasks) {
      outputs.emplace_back("--output", task.output);
      if (!is_standard_stream(task.input)) read.push_back(task.input);
      if (!is_standard_stream(task.output)) require_image_name("--output", task.output);
    }
    if (!model_path.empty()) outputs.emplace_back("--model", model_path);
    if (!reference_path.empty()) read.push_back(reference_path);
    if (options.model) read.push_back(transform);
    check_outputs(outputs, read, json);
    if (is_standard_stream(output) && isatty(STDOUT_FILENO) == 1) {
      throw option_error("--output", "-", "a file: an image isn't written to a terminal");
    }
    return tasks;
  }

  static std::string name_in_folder(const std::string& path) {
    const std::filesystem::path name = std::filesystem::path(path).filename();
    return is_image_name(name) ? name.string() : name.string() + ".png";
  }

  Json run_one(const Task& task) {
    Image noisy = read_image_at(task.input);
    std::optional<Image> reference;
    if (!reference_path.empty()) reference = read_reference(noisy, task.input);
    const std::string name = image_name(task, noisy);
    require_image_name("--output", name, noisy);
    Json report = {{"height", noisy.height}, {"width", noisy.width}, {"channels", noisy.channels}};
    std::optional<Quality> before;
    if (reference) before = quality_of(noisy, *reference);

    Progress progress;
    options.progress = [&](double share) {
      progress.show(fmt::format("{}: denoising {:3.0f} %", task.input, 100 * share));
    };
    progress.show(task.input + ": learning a transform");
    const auto start = std::chrono::steady_clock::now();
    const DenoiseResult result = denoise(std::move(noisy), options, task.input);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const std::string bytes = image_bytes(name, result.image);
    write_file(output_at(task.output), bytes);
    if (!model_path.empty()) save_model(output_at(model_path), result.model);
    std::optional<Quality> after;
    if (reference) after = quality_of(read_image(std::as_bytes(std::span(bytes)), task.output), *reference);
    add_figures(task, result, elapsed.count(), &report);
    if (before) add_quality(*before, *after, &report);
    if (!json) print_text(task, result, before, after, elapsed.count());
    return report;
  }

  // The name that tells the format.
  static std::string image_name(const Task& task, const Image& image) {
    if (!is_standard_stream(task.output)) return task.output;
    return image.depth == 32 ? "standard output.tif" : "standard output.png";
  }

  [[nodiscard]] Image read_reference(const Image& noisy, const std::string& input) const {
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

  void add_figures(const Task& task, const DenoiseResult& result, double seconds, Json* report) const {
    report->update({{"transform", transform},
                    {"quality", quality},
                    {"sigma", result.sigma},
                    {"sigma_estimated", !options.sigma.has_value()},
                    {"noise_model", name_of(result.noise_model)},
                    {"threshold", options.threshold},
                    {"iterations", result.iterations},
                    {"kept", result.kept},
                    {"seconds", seconds},
                    {"input", task.input},
                    {"output", task.output}});
    if (result.noise_model == NoiseModel::kPoisson) report->update({{"gain", result.gain}, {"offset", result.offset}});
  }

  // `after` is that of the file as written, including rounding and JPEG compression.
  static void add_quality(const Quality& before, const Quality& after, Json* report) {
    const auto entry = [](const Quality& figures) {
      return Json{{"psnr", std::isfinite(figures.psnr) ? Json(figures.psnr) : Json("inf")}, {"ssim", figures.ssim}};
    };
    (*report)["noisy"] = entry(before);
    (*report)["denoised"] = entry(after);
  }

  // To standard error if the image goes to standard output.
  void print_text(const Task& task, const DenoiseResult& result, const std::optional<Quality>& before,
                  const std::optional<Quality>& after, double seconds) const {
    std::FILE* to = is_standard_stream(task.output) ? stderr : stdout;
    const Image& image = result.image;
    const PatchShape atoms{.height = sample_shape(result.model)[0], .width = sample_shape(result.model)[1]};
    fmt::print(to, "{}: {}x{} pixels in {}, {}sigma {:.2f}{}, {} transform of {}x{} patches in {:.2f} s\n", task.output,
               image.height, image.width, image.channels == 3 ? "colour" : "grey",
               result.noise_model == NoiseModel::kPoisson ? "Poisson noise, mean " : "", result.sigma,
               options.sigma ? "" : " (estimated)", transform, atoms.height, atoms.width, seconds);
    constexpr double kNone = 0.01;  // rounding in single precision, invisible in 8 bits
    if (!options.sigma && result.sigma < kNone) {
      fmt::print(to, "no noise was found, so none was removed; --sigma sets the noise level\n");
    }
    if (result.too_few_patches) {
      fmt::print(to,
                 "few pixels to learn {} atoms from: the transform may fit the noise; try a smaller --patch or "
                 "--transform dct\n",
                 atoms.height * atoms.width);
    }
    if (before) {
      fmt::print(to, "PSNR {:.2f} dB -> {:.2f} dB, SSIM {:.4f} -> {:.4f}\n", before->psnr, after->psnr, before->ssim,
                 after->ssim);
    }
  }
};

}  // namespace

void add_denoise(App& app, Run* run) {
  const auto command = std::make_shared<Denoise>();
  add_file_option(app, "images", &command->inputs,
                  "Noisy images, or folders of them: PNG, JPEG, TIFF, PGM or PPM, grey or colour; - is standard input")
      ->required();
  add_file_option(app, "-o,--output", &command->output,
                  "Write the denoised image to this file (.png, .jpg, .tif, .pgm or .ppm; - is standard output), or "
                  "several to this folder, under their names")
      ->required();
  app.add_option("--sigma", command->options.sigma,
                 "Standard deviation of the noise, on the scale of pixels 0 to 255 (default: estimated, for brightness "
                 "and colour differences separately)");
  app.add_option("--noise-model", command->noise_model, describe_values<NoiseModel>("Noise to estimate:"))
      ->capture_default_str()
      ->value_name("NAME");
  app.add_option("--quality", command->quality, describe_values<orthodict::Quality>("Time against quality:"))
      ->capture_default_str()
      ->value_name("NAME");
  app.add_option("--patch", command->patch, "Height x width of the patches")->capture_default_str()->value_name("HxW");
  app.add_option("--transform", command->transform,
                 describe_values<Transform>(
                     "Orthogonal transform of patches, or the .npz file of one that --model has written:"))
      ->capture_default_str()
      ->value_name("NAME");
  app.add_option("--threshold", command->options.threshold, "Coefficients below this multiple of sigma are set to zero")
      ->capture_default_str();
  add_file_option(app, "--reference", &command->reference_path, "Print PSNR and SSIM against this clean image");
  add_file_option(app, "--model", &command->model_path,
                  "Also save the transform to this file (.npz), for --transform and orthodict atoms");
  add_integer_option(app, "--seed", &command->options.seed, "Seed of the choice of patches to learn from");
  add_integer_option(app, "--threads", &command->options.threads,
                     "Number of threads; the result doesn't depend on it (default: all cores)");
  add_json_flag(app, &command->json);
  app.examples({"orthodict denoise noisy.png --output clean.png",
                "orthodict denoise noisy.png --sigma 20 --reference photo.png --output clean.png",
                "orthodict denoise noisy.png photo.png --quality fast --output cleaned"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
