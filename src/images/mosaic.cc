// SPDX-License-Identifier: Apache-2.0
#include "orthodict/mosaic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "memory/allocation.h"
#include "orthodict/error.h"

namespace orthodict {

template <>
std::span<const Named<Contrast>> names_of() {
  static constexpr std::array<Named<Contrast>, 2> kNames = {{
      {Contrast::kEach, "each", "the largest entry of each atom is black or white"},
      {Contrast::kCommon, "common", "the largest entry of all atoms is black or white"},
  }};
  return kNames;
}

namespace {

std::vector<Index> shape_of_atoms(const Model& model, const std::vector<Index>& given) {
  std::vector<Index> shape = given.empty() ? sample_shape(model) : given;
  if (shape.empty()) {
    throw option_error("shape", "unset", "HEIGHTxWIDTH, such as 8x8, for a model that was learned from vectors");
  }
  const auto size = memory::array_bytes(shape, 1);
  if (!is_picture(shape) || !size || static_cast<Index>(*size) != model.dimension()) {
    throw option_error("shape", fmt::format("{}", fmt::join(shape, "x")),
                       fmt::format("HEIGHTxWIDTH or HEIGHTxWIDTHx3, of {} entries in all", model.dimension()));
  }
  return shape;
}

// The layout of the mosaic: rows of `columns` tiles, `scale` pixels per entry, and a border of `scale` pixels around
// each tile.
struct Tiling {
  Index height;  // of an atom, in entries
  Index width;
  Index channels;
  Index columns;
  Index rows;
  Index scale;

  [[nodiscard]] Index image_height() const { return scale * (rows * (height + 1) + 1); }
  [[nodiscard]] Index image_width() const { return scale * (columns * (width + 1) + 1); }
};

Tiling tiling_of(const Model& model, const MosaicOptions& options) {
  constexpr Index kReadable = 64;  // default length of a tile's longer side, in pixels
  const std::vector<Index> shape = shape_of_atoms(model, options.shape);
  const Index columns = std::min(options.columns, model.atoms());
  const Index longer = std::max(shape[0], shape[1]);
  return {.height = shape[0],
          .width = shape[1],
          .channels = shape.size() == 3 ? shape[2] : 1,
          .columns = columns,
          .rows = (model.atoms() + columns - 1) / columns,
          .scale = options.scale.value_or((kReadable + longer - 1) / longer)};
}

Image black_image(const Tiling& tiling) {
  const Index shape[] = {tiling.image_height(), tiling.image_width(), tiling.channels};
  const auto bytes = memory::array_bytes(shape, sizeof(float));
  if (!bytes) throw data_error("mosaic", "too many pixels");
  memory::require_memory("mosaic", *bytes);
  Image image{.height = shape[0], .width = shape[1], .channels = shape[2]};
  image.pixels.assign(*bytes / sizeof(float), 0);
  return image;
}

// Maps 0 to mid-grey, and ±largest to black and white.
void draw_atom(const double* atom, double largest, Index tile, const Tiling& tiling, Image* image) {
  const Index top = (tile / tiling.columns) * (tiling.height + 1) + 1;
  const Index left = (tile % tiling.columns) * (tiling.width + 1) + 1;
  for (Index y = 0; y < tiling.height * tiling.scale; ++y) {
    for (Index x = 0; x < tiling.width * tiling.scale; ++x) {
      const double* entry = atom + (y / tiling.scale * tiling.width + x / tiling.scale) * tiling.channels;
      for (Index channel = 0; channel < tiling.channels; ++channel) {
        image->at(top * tiling.scale + y, left * tiling.scale + x, channel) =
            static_cast<float>(127.5 + 127.5 * entry[channel] / largest);
      }
    }
  }
}

}  // namespace

void MosaicOptions::validate() const {
  if (columns < 1) throw option_error("columns", std::to_string(columns), "an integer ≥ 1");
  if (scale && (*scale < 1 || *scale > 1000)) throw option_error("scale", std::to_string(*scale), "1 … 1000");
}

Image atom_mosaic(const Model& model, const MosaicOptions& options) {
  model.validate("model");
  if (model.is_complex) throw data_error("model", "has complex atoms: a picture needs real ones");
  options.validate();
  const Tiling tiling = tiling_of(model, options);
  const double common = model.dictionary.cwiseAbs().maxCoeff();
  return memory::with_memory_errors("mosaic", [&] {
    Image image = black_image(tiling);
    for (Index k = 0; k < model.atoms(); ++k) {
      const double own = model.dictionary.row(k).cwiseAbs().maxCoeff();
      const double largest = options.contrast == Contrast::kCommon ? common : own;
      draw_atom(model.dictionary.row(k).data(), largest > 0 ? largest : 1, k, tiling, &image);
    }
    return image;
  });
}

}  // namespace orthodict
