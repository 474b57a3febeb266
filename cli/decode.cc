// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "interrupt.h"
#include "model/feature_names.h"
#include "names_in_tables.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/model.h"
#include "orthodict/table.h"
#include "patch_input.h"

namespace orthodict::cli {
namespace {

struct Decode {
  std::string model_path;
  std::string input;
  std::string output;
  std::optional<std::string> size;
  PatchInput patches;
  std::optional<int> depth;
  bool json = false;

  int run() {
    check_options();
    const Model model = load_model(model_path);
    const auto codes = read_samples_at(input);
    if (size && model.is_complex) throw option_error("--size", *size, "left out for a complex model");
    check_outputs({{"--output", output}}, {model_path, input}, json);
    stop_on_interrupt();
    size ? write_picture(model, *codes) : write_rows(model, *codes);
    return kDone;
  }

  void check_options() const {
    if (size) {
      require_image_name("--output", output);
      if (depth && *depth != 8 && *depth != 16) throw option_error("--depth", std::to_string(*depth), "8 or 16");
    } else if (is_image_name(output)) {
      throw option_error("--size", "unset", "given, such as --size 512x512, to assemble an image from patches");
    } else if (const std::string option = depth ? "--depth" : patches.given(); !option.empty()) {
      throw option_error(option, "given", "left out without --size: it applies to patches of an image");
    }
  }

  void write_rows(const Model& model, const Samples& codes) const {
    const auto writer = open_table_writer(
        output_at(output), model.is_complex ? ElementType::kC128 : ElementType::kF64, codes.size(), model.features(),
        model.is_complex
            ? TableNames{}
            : names_for_rows(input, false, output, codes.size(), feature_names(model), model.features(), "feature"));
    for_each_block(codes.size(), "codes",
                   [&](Index first, Index count) { writer->append(decode(model, codes, first, count)); });
    writer->commit();
    if (json) {
      print_json({{"dimension", model.features()}, {"samples", codes.size()}, {"output", output}});
    } else if (output != "-") {
      fmt::print("{}: {} samples of {} features\n", output, codes.size(), model.features());
    }
  }

  void write_picture(const Model& model, const Samples& codes) const {
    const auto [height, width] = parse_patch_shape("--size", *size);
    const PatchOptions options = patch_options(patches, sample_shape(model), "codes");
    require_image_name("--output", output, {.height = height, .width = width, .channels = options.color ? 3 : 1});
    PatchAverage average(height, width, options);
    check_patches(model, codes, options, average.grid().size());
    for_each_block(codes.size(), "codes", [&](Index first, Index count) {
      average.add(first, decode(model, codes, first, count).transpose());
    });
    write_image(output, average.image(depth.value_or(8)));
    if (json) {
      print_json({{"height", height}, {"width", width}, {"patches", codes.size()}, {"output", output}});
    } else {
      fmt::print("{}: {}x{} pixels from {} patches\n", output, height, width, codes.size());
    }
  }

  void check_patches(const Model& model, const Samples& codes, const PatchOptions& options, Index places) const {
    const Index entries = options.patch.height * options.patch.width * (options.color ? 3 : 1);
    if (entries != model.dimension()) {
      throw option_error("--patch", patches.patch.value_or("unset"),
                         fmt::format("of {} entries in all, like the model's atoms", model.dimension()));
    }
    if (codes.size() != places) {
      throw data_error(
          input, fmt::format("{} codes, but an image of {} has {} patches of {}x{} at a stride of {}", codes.size(),
                             *size, places, options.patch.height, options.patch.width, options.stride));
    }
  }
};

}  // namespace

void add_decode(App& app, Run* run) {
  const auto command = std::make_shared<Decode>();
  app.group_order({kImagesGroup, kOutputGroup});
  app.begin_group(kOutputGroup);
  add_file_option(app, "model", &command->model_path, "Model from orthodict fit (.npz)")->required();
  add_file_option(app, "codes", &command->input,
                  "Codes from orthodict encode, dense or sparse, or - for .npy on standard input")
      ->required();
  add_file_option(
      app, "-o,--output", &command->output,
      "Write the samples to this file: .npy, .csv, .tsv or -; with --size an image: .png, .pgm, .ppm or .jpg")
      ->required();
  app.add_option("--size", command->size,
                 "Height x width of the image to assemble from patches; overlapping patches are averaged")
      ->value_name("HxW")
      ->group(kImagesGroup);
  add_integer_option(app, "--depth", &command->depth, "Bits per value, 8 or 16 (default: 8)")->group(kImagesGroup);
  add_patch_options(app, &command->patches);
  app.begin_group(kOutputGroup);
  add_json_flag(app, &command->json);
  app.examples({"orthodict decode model.npz codes.npy --output back.npy",
                "orthodict decode patches.npz codes.npz --size 512x512 --stride 8 --output photo-8.png"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
