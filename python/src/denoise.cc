// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "background_work.h"
#include "bindings.h"

namespace orthodict::python {
namespace {

namespace nb = nanobind;
using namespace nanobind::literals;

using Pixels = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OwnPixels = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Image image_of(const Pixels& pixels) {
  Image image{.height = static_cast<Index>(pixels.shape(0)),
              .width = static_cast<Index>(pixels.shape(1)),
              .channels = static_cast<Index>(pixels.shape(2))};
  image.pixels.assign(pixels.data(), pixels.data() + pixels.size());
  return image;
}

// Writes the denoised image to `out`. `transform` is the name of one, or a model. Returns sigma, the noise model, gain,
// offset, kept, iterations and model.
nb::tuple denoise_pixels(const Pixels& pixels, const OwnPixels& out, std::pair<Index, Index> patch,
                         std::optional<double> sigma, const std::string& noise_model, double threshold,
                         const std::string& quality, const std::variant<std::string, const Model*>& transform,
                         std::uint64_t seed, int threads) {
  BackgroundWork background;
  const auto* name = std::get_if<std::string>(&transform);
  const DenoiseOptions options{
      .patch = {.height = patch.first, .width = patch.second},
      .sigma = sigma,
      .noise_model = parse_name<NoiseModel>("noise_model", noise_model),
      .threshold = threshold,
      .quality = parse_name<Quality>("quality", quality),
      .transform = name == nullptr ? Transform::kLearned : parse_name<Transform>("transform", *name),
      .model = name == nullptr ? std::optional<Model>(*std::get<const Model*>(transform)) : std::nullopt,
      .seed = seed,
      .threads = threads,
      .stop = background.stop_token()};
  DenoiseResult result;
  background.run([&] { result = denoise(image_of(pixels), options); });
  std::copy(result.image.pixels.begin(), result.image.pixels.end(), out.data());
  return nb::make_tuple(result.sigma, std::string(name_of(result.noise_model)), result.gain, result.offset, result.kept,
                        result.iterations, std::move(result.model));
}

}  // namespace

void bind_denoise(nb::module_& module) {
  module.def("denoise", &denoise_pixels, "pixels"_a, "out"_a, "patch"_a, "sigma"_a.none(), "noise_model"_a,
             "threshold"_a, "quality"_a, "transform"_a, "seed"_a, "threads"_a);
}

}  // namespace orthodict::python
