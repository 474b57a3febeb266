// SPDX-License-Identifier: Apache-2.0
#include "photographs.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "orthodict/error.h"

namespace orthodict::experiments {
namespace {

Image middle_of(const Image& image, Index side) {
  Image middle{.height = std::min(side, image.height),
               .width = std::min(side, image.width),
               .channels = image.channels,
               .depth = image.depth};
  const Index top = (image.height - middle.height) / 2;
  const Index left = (image.width - middle.width) / 2;
  for (Index y = 0; y < middle.height; ++y) {
    const float* row = image.pixels.data() + ((top + y) * image.width + left) * image.channels;
    middle.pixels.insert(middle.pixels.end(), row, row + middle.width * middle.channels);
  }
  return middle;
}

}  // namespace

std::span<const std::string> photographs(const Scale& scale) {
  static const std::vector<std::string> kNames = {"astronaut", "barbara", "brick", "camera", "grass", "gravel",
                                                  "kodim23",   "monarch", "moon",  "sail",   "tulips"};
  return std::span(kNames).first(scale.pick<std::size_t>(2, kNames.size(), kNames.size()));
}

Image read_photograph(const Scale& scale, const std::string& name, bool color) {
  const std::filesystem::path path = std::filesystem::path(scale.data) / "images" / (name + ".png");
  if (!std::filesystem::exists(path)) {
    throw data_error(
        path, "not found: download it with scripts/get-data images, or give the folder of the data sets by --data");
  }
  const Image image = read_image(path);
  return middle_of(color ? image : to_grey(image), scale.pick(64, 512, 512));
}

}  // namespace orthodict::experiments
