// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/planes.h"

#include <algorithm>
#include <cmath>

#include "images/denoising/cosine.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

RowMatrix<double> rotation_of(Index channels) { return cosine_transform({.height = 1, .width = channels}); }

// Rows [first, last) of an image, with one row per pixel and one column per channel.
Eigen::Map<const RowMatrix<float>> pixels_of(const Image& image, Index first, Index last) {
  return {image.pixels.data() + first * image.width * image.channels, (last - first) * image.width, image.channels};
}

}  // namespace

void require_finite(const Image& image, const std::string& name) {
  image.validate(name);
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(image.pixels.begin(), image.pixels.end(), finite)) {
    throw data_error(name, "has values that aren't finite");
  }
}

RowMatrix<float> plane_rotation(Index channels) { return rotation_of(channels).cast<float>(); }

Image plane_of(const Image& image, Index plane) {
  Image grey{.height = image.height, .width = image.width, .channels = 1, .depth = image.depth};
  grey.pixels.resize(static_cast<std::size_t>(image.height * image.width));
  Eigen::Map<Vector<float>>(grey.pixels.data(), image.height * image.width).noalias() =
      pixels_of(image, 0, image.height) * plane_rotation(image.channels).row(plane).transpose();
  return grey;
}

std::vector<Plane> split_rows(const Image& image, Index first, Index last) {
  const RowMatrix<float> rotation = plane_rotation(image.channels);
  std::vector<Plane> planes;
  for (Index c = 0; c < image.channels; ++c) {
    planes.emplace_back(last - first, image.width);
    Eigen::Map<Vector<float>>(planes.back().data(), planes.back().size()).noalias() =
        pixels_of(image, first, last) * rotation.row(c).transpose();
  }
  return planes;
}

void join_rows(const std::vector<Plane>& planes, Index first, Image* image) {
  const RowMatrix<float> rotation = plane_rotation(image->channels);
  const Index size = planes.front().size();
  Eigen::Map<RowMatrix<float>> to(image->pixels.data() + first * image->width * image->channels, size, image->channels);
  for (Index c = 0; c < image->channels; ++c) {
    to.col(c).setZero();
    for (Index plane = 0; plane < image->channels; ++plane) {
      to.col(c) +=
          rotation(plane, c) * Eigen::Map<const Vector<float>>(planes[static_cast<std::size_t>(plane)].data(), size);
    }
  }
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

std::vector<RowMatrix<double>> split_atoms(const RowMatrix<double>& atoms, Index channels) {
  const RowMatrix<double> rotation = rotation_of(channels);
  const Index n = atoms.rows() / channels;
  std::vector<RowMatrix<double>> planes;
  for (Index plane = 0; plane < channels; ++plane) {
    RowMatrix<double>& of_plane = planes.emplace_back(n, n);
    for (Index i = 0; i < n; ++i) {
      const auto atom = atoms.row(i == 0 ? plane : channels + plane * (n - 1) + i - 1);
      for (Index pixel = 0; pixel < n; ++pixel) {
        of_plane(i, pixel) = atom.segment(pixel * channels, channels).dot(rotation.row(plane));
      }
    }
  }
  return planes;
}

}  // namespace orthodict::images
