// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/mosaic.h"

namespace orthodict::cli {
namespace {

struct Atoms {
  std::string model_path;
  std::string output;
  std::string contrast = "each";
  std::optional<std::string> shape;
  MosaicOptions options;
  bool json = false;

  int run() {
    options.contrast = parse_name<Contrast>("--contrast", contrast);
    if (shape) options.shape = parse_extents("--shape", *shape);
    options.validate();
    require_image_name("--output", output);
    const Model model = load_model(model_path);
    check_outputs({{"--output", output}}, {model_path}, json);
    const Image image = atom_mosaic(model, options);
    require_image_name("--output", output, image);
    write_image(output, image);
    if (json) {
      print_json({{"atoms", model.atoms()}, {"height", image.height}, {"width", image.width}, {"output", output}});
    } else {
      fmt::print("{}: {} atoms on {}x{} pixels\n", output, model.atoms(), image.height, image.width);
    }
    return kDone;
  }
};

}  // namespace

void add_atoms(App& app, Run* run) {
  const auto command = std::make_shared<Atoms>();
  add_file_option(app, "model", &command->model_path, "Model from orthodict fit (.npz)")->required();
  add_file_option(app, "-o,--output", &command->output, "Write the picture to this file: .png, .pgm, .ppm or .jpg")
      ->required();
  app.add_option("--shape", command->shape,
                 "Height x width of an atom, such as 8x8, or 8x8x3 in colour (default: the model's)")
      ->value_name("HxW");
  add_integer_option(app, "--columns", &command->options.columns, "Atoms per row");
  app.add_option("--contrast", command->contrast, describe_values<Contrast>("Which entry is black or white:"))
      ->capture_default_str()
      ->value_name("NAME");
  add_integer_option(app, "--scale", &command->options.scale,
                     "Pixels per entry (default: the smallest that gives an atom 64 pixels on its longer side)");
  add_json_flag(app, &command->json);
  app.examples(
      {"orthodict atoms patches.npz --output atoms.png", "orthodict atoms model.npz --shape 5x10 --output atoms.png"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
