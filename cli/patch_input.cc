// SPDX-License-Identifier: Apache-2.0
#include "patch_input.h"

#include <fmt/format.h>

#include <utility>

#include "command.h"
#include "images/image_format.h"
#include "orthodict/error.h"
#include "orthodict/io.h"

namespace orthodict::cli {

std::string PatchInput::given() const {
  if (patch) return "--patch";
  if (stride) return "--stride";
  return color ? "--color" : "";
}

void add_patch_options(App& app, PatchInput* input) {
  app.add_option("--patch", input->patch, "Height x width of the patches that become samples, such as 8x8")
      ->value_name("HxW")
      ->group(kImagesGroup);
  add_integer_option(app, "--stride", &input->stride,
                     "Distance of patches in pixels; the last ones are flush with the border (default: 1)")
      ->group(kImagesGroup);
  app.add_flag("--color", input->color, "Patches of all three channels instead of the luma")->group(kImagesGroup);
}

PatchOptions patch_options(const PatchInput& input, const std::vector<Index>& shape, const std::string& source) {
  PatchOptions options{.stride = input.stride.value_or(1), .color = input.color};
  if (input.patch) options.patch = parse_patch_shape("--patch", *input.patch);
  if (is_picture(shape)) {
    const PatchShape atoms{.height = shape[0], .width = shape[1]};
    const bool color = shape.size() == 3 && shape[2] == 3;
    if (input.patch && (options.patch.height != atoms.height || options.patch.width != atoms.width)) {
      throw option_error("--patch", *input.patch,
                         fmt::format("{}x{}, like the model's atoms", atoms.height, atoms.width));
    }
    if (input.color && !color) throw option_error("--color", "given", "left out: the model's atoms are grey");
    options.patch = atoms;
    options.color = color;
  } else if (!input.patch) {
    throw option_error("--patch", "unset", fmt::format("given, such as --patch 8x8, to cut samples out of {}", source));
  }
  options.validate();
  return options;
}

std::unique_ptr<Samples> read_samples_or_patches(const std::string& path, bool columns, const PatchInput& input,
                                                 const std::vector<Index>& shape) {
  const auto refuse_patches = [&] {
    if (const std::string option = input.given(); !option.empty()) {
      throw option_error(option, "given", fmt::format("left out: {} is neither an image nor a folder of images", path));
    }
  };
  if (is_standard_stream(path)) {
    refuse_patches();
    return read_samples_at(path, layout_of(columns));
  }
  OpenedSource source(path);
  if (is_image_source(source)) {
    if (!input.patch && !is_picture(shape) && source.is_folder()) {
      throw data_error(path, "is a directory; to learn from patches of its images, give --patch, such as --patch 8x8");
    }
    if (columns) throw option_error("--columns", "given", fmt::format("left out: {} is an image or a folder", path));
    return read_patches(source, patch_options(input, shape, path));
  }
  if (is_image_name(path) && !input.given().empty()) {
    throw data_error(path, std::string("not a supported image; legal: ") + images::kFormatNames);
  }
  refuse_patches();
  return read_samples(std::move(source), layout_of(columns));
}

}  // namespace orthodict::cli
