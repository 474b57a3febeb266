// SPDX-License-Identifier: Apache-2.0
#include "orthodict/denoise.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

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

// Writes the denoised image to `out`. Returns sigma, kept, iterations and model.
nb::tuple denoise_pixels(const Pixels& pixels, const OwnPixels& out, std::pair<Index, Index> patch,
                         std::optional<double> sigma, double threshold, const std::string& transform,
                         std::uint64_t seed, int threads) {
  BackgroundWork background;
  const DenoiseOptions options{.patch = {.height = patch.first, .width = patch.second},
                               .sigma = sigma,
                               .threshold = threshold,
                               .transform = parse_name<Transform>("transform", transform),
                               .seed = seed,
                               .threads = threads,
                               .stop = background.stop_token()};
  DenoiseResult result;
  background.run([&] { result = denoise(image_of(pixels), options); });
  std::copy(result.image.pixels.begin(), result.image.pixels.end(), out.data());
  return nb::make_tuple(result.sigma, result.kept, result.iterations, std::move(result.model));
}

}  // namespace

void bind_denoise(nb::module_& module) {
  module.def("denoise", &denoise_pixels, "pixels"_a, "out"_a, "patch"_a, "sigma"_a.none(), "threshold"_a, "transform"_a,
             "seed"_a, "threads"_a);
}

}  // namespace orthodict::python
