// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/planes.h"

#include <algorithm>
#include <cmath>

#include "images/denoising/cosine.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

RowMatrix<double> rotation_of(Index channels) { return cosine_transform({.height = 1, .width = channels}); }

using Pixels = Eigen::Map<const RowMatrix<float>>;  // one row per pixel, one column per channel

}  // namespace

void require_finite(const Image& image, const std::string& name) {
  image.validate(name);
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(image.pixels.begin(), image.pixels.end(), finite)) {
    throw data_error(name, "has values that aren't finite");
  }
}

Image channel_of(const Image& image, Index channel) {
  Image plane{.height = image.height, .width = image.width, .channels = 1, .depth = image.depth};
  const auto values = Pixels(image.pixels.data(), image.height * image.width, image.channels).col(channel);
  plane.pixels.assign(values.begin(), values.end());
  return plane;
}

std::vector<Image> split_planes(const Image& image) {
  const RowMatrix<float> rotation = rotation_of(image.channels).cast<float>();
  Image rotated = image;
  Eigen::Map<RowMatrix<float>>(rotated.pixels.data(), image.height * image.width, image.channels) =
      Pixels(image.pixels.data(), image.height * image.width, image.channels) * rotation.transpose();
  std::vector<Image> planes;
  for (Index channel = 0; channel < image.channels; ++channel) planes.push_back(channel_of(rotated, channel));
  return planes;
}

Image join_planes(const std::vector<Image>& planes) {
  const auto channels = static_cast<Index>(planes.size());
  const RowMatrix<float> rotation = rotation_of(channels).cast<float>();
  Image image = planes.front();
  image.channels = channels;
  image.pixels.resize(planes.front().pixels.size() * planes.size());
  RowMatrix<float> rotated(image.height * image.width, channels);
  for (Index c = 0; c < channels; ++c) {
    rotated.col(c) = Eigen::Map<const Vector<float>>(planes[static_cast<std::size_t>(c)].pixels.data(), rotated.rows());
  }
  Eigen::Map<RowMatrix<float>>(image.pixels.data(), rotated.rows(), channels) = rotated * rotation;
  return image;
}

RowMatrix<double> join_atoms(const std::vector<RowMatrix<double>>& planes) {
  const auto channels = static_cast<Index>(planes.size());
  const RowMatrix<double> rotation = rotation_of(channels);
  const Index n = planes.front().rows();
  RowMatrix<double> atoms(n * channels, n * channels);
  for (Index plane = 0; plane < channels; ++plane) {
    const RowMatrix<double>& of_plane = planes[static_cast<std::size_t>(plane)];
    for (Index i = 0; i < n; ++i) {
      auto atom = atoms.row(i == 0 ? plane : channels + plane * (n - 1) + i - 1);
      for (Index pixel = 0; pixel < n; ++pixel) {
        atom.segment(pixel * channels, channels) = of_plane(i, pixel) * rotation.row(plane);
      }
    }
  }
  return atoms;
}

}  // namespace orthodict::images
