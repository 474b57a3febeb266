// SPDX-License-Identifier: Apache-2.0
#include "orthodict/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <utility>

#include "files/input_file.h"
#include "formats/source_file.h"
#include "images/image_format.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict {
namespace {

std::string shape_text(const PatchShape& shape) { return fmt::format("{}x{}", shape.height, shape.width); }

// 0, stride, 2·stride … and the last position where a patch fits.
std::vector<Index> places(Index extent, Index patch, Index stride) {
  std::vector<Index> starts;
  for (Index at = 0; at < extent - patch; at += stride) starts.push_back(at);
  starts.push_back(extent - patch);
  return starts;
}

bool without_gaps(const std::vector<Index>& starts, Index patch) {
  const auto gap = [patch](Index from, Index to) { return to - from > patch; };
  return std::adjacent_find(starts.begin(), starts.end(), gap) == starts.end();
}

// Copies in pieces of fixed length, which compile to a move or two. For such short rows memmove() is slower.
template <typename Scalar>
void copy_row(const float* from, Index length, Scalar* to) {
  constexpr Index kPiece = 4;
  Index i = 0;
  for (; i + kPiece <= length; i += kPiece) std::copy_n(from + i, kPiece, to + i);
  for (; i < length; ++i) to[i] = from[i];
}

class PatchSamples final : public Samples {
 public:
  PatchSamples(std::vector<Image> images, std::vector<PatchGrid> grids, const PatchOptions& options, std::string name)
      : images_(std::move(images)), grids_(std::move(grids)), options_(options), name_(std::move(name)) {
    for (const PatchGrid& grid : grids_) firsts_.push_back(firsts_.back() + grid.size());
  }

  [[nodiscard]] Index dimension() const override { return options_.patch.height * row_length(); }
  [[nodiscard]] Index size() const override { return firsts_.back(); }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool fits_f32() const override { return true; }
  [[nodiscard]] std::vector<Index> sample_shape() const override {
    if (options_.color) return {options_.patch.height, options_.patch.width, 3};
    return {options_.patch.height, options_.patch.width};
  }

  Block<float> block(Index first, Index count, float* scratch) const override { return cut(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return cut(first, count, scratch); }

 private:
  [[nodiscard]] Index row_length() const { return options_.patch.width * (options_.color ? 3 : 1); }

  template <typename Scalar>
  Block<Scalar> cut(Index first, Index count, Scalar* scratch) const {
    Scalar* to = scratch;
    auto image =
        static_cast<std::size_t>(std::upper_bound(firsts_.begin(), firsts_.end(), first) - firsts_.begin()) - 1;
    for (Index at = first; at < first + count; ++image) {
      const Index end = std::min(first + count, firsts_[image + 1]);
      to = cut_from(images_[image], grids_[image], at - firsts_[image], end - firsts_[image], to);
      at = end;
    }
    return {scratch, dimension()};
  }

  // Copies patches [begin, end) of one image to `to`. Returns the end of the copy.
  template <typename Scalar>
  Scalar* cut_from(const Image& image, const PatchGrid& grid, Index begin, Index end, Scalar* to) const {
    const Index length = row_length();
    const Index stride = image.width * image.channels;
    for (Index patch = begin; patch < end; ++patch) {
      const float* from = image.pixels.data() + grid.top(patch) * stride + grid.left(patch) * image.channels;
      for (Index y = 0; y < options_.patch.height; ++y, from += stride, to += length) copy_row(from, length, to);
    }
    return to;
  }

  std::vector<Image> images_;
  std::vector<PatchGrid> grids_;
  PatchOptions options_;
  std::string name_;
  std::vector<Index> firsts_ = {0};  // the first patch of each image, and the total
};

// Whether a regular file begins like an image.
bool is_image_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || std::filesystem::is_empty(path, ignored)) return false;
  return images::begins_as_image(files::InputFile(path).start(images::kImageStart));
}

}  // namespace

std::vector<std::string> images::images_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  auto entry = std::filesystem::directory_iterator(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (is_image_file(path)) paths.push_back(path);
  }
  if (error) throw data_error(folder, "cannot be read: " + error.message());
  if (paths.empty()) throw data_error(folder, std::string("has no images; legal: ") + images::kFormatNames);
  std::sort(paths.begin(), paths.end());
  return paths;
}

namespace {

Image with_channels(Image image, bool color) {
  image.alpha = {};
  if (image.channels == (color ? 3 : 1)) return image;
  return color ? to_color(image) : to_grey(image);
}

std::unique_ptr<Samples> patches_of(std::vector<Image> images, const std::vector<std::string>& names,
                                    const PatchOptions& options, const std::string& name) {
  std::vector<PatchGrid> grids;
  for (std::size_t i = 0; i < images.size(); ++i) {
    grids.emplace_back(images[i].height, images[i].width, options, names[i]);
    images[i] = with_channels(std::move(images[i]), options.color);
  }
  return std::make_unique<PatchSamples>(std::move(images), std::move(grids), options, name);
}

// Returns `width`, after checking that sums and weights for all pixels fit in memory.
Index checked_width(Index height, Index width, const PatchOptions& options) {
  const Index shape[] = {height, width, options.color ? 4 : 2};
  const auto bytes = memory::array_bytes(shape, sizeof(double));
  if (!bytes) throw data_error("image", text::shape_text(std::span(shape, 2)) + " pixels are too many");
  memory::require_memory("image", *bytes);
  return width;
}

}  // namespace

void PatchOptions::validate() const {
  if (patch.height < 1 || patch.width < 1) throw option_error("patch", shape_text(patch), "at least 1x1");
  if (stride < 1) throw option_error("stride", std::to_string(stride), "an integer ≥ 1");
}

PatchGrid::PatchGrid(Index image_height, Index image_width, const PatchOptions& options, const std::string& name) {
  options.validate();
  const auto& [height, width] = options.patch;
  if (height > image_height || width > image_width) {
    throw data_error(
        name, fmt::format("{}×{} pixels, smaller than a patch of {}×{}", image_height, image_width, height, width));
  }
  tops_ = places(image_height, height, options.stride);
  lefts_ = places(image_width, width, options.stride);
  covers_ = without_gaps(tops_, height) && without_gaps(lefts_, width);
}

std::unique_ptr<Samples> image_patches(std::vector<Image> images, const PatchOptions& options,
                                       const std::string& name) {
  options.validate();
  if (images.empty()) throw data_error(name, "no images");
  for (const Image& image : images) image.validate(name);
  const std::vector<std::string> names(images.size(), name);
  return memory::with_memory_errors(name, [&] { return patches_of(std::move(images), names, options, name); });
}

std::unique_ptr<Samples> read_patches(const OpenedSource& source, const PatchOptions& options) {
  options.validate();
  const std::string& path = source.path();
  return memory::with_memory_errors(path, [&] {
    std::vector<Image> images;
    std::size_t bytes = 0;
    const auto add = [&](Image image) {
      images.push_back(with_channels(std::move(image), options.color));
      bytes += images.back().pixels.size() * sizeof(float);
      memory::require_memory(path, bytes);
    };
    const std::vector<std::string> paths = source.is_folder() ? images::images_in(path) : std::vector{path};
    if (source.is_folder()) {
      for (const std::string& file : paths) add(read_image(file));
    } else {
      add(images::read_image(source.file().file));
    }
    return patches_of(std::move(images), paths, options, path);
  });
}
std::unique_ptr<Samples> read_patches(const std::string& path, const PatchOptions& options) {
  return read_patches(OpenedSource(path), options);
}

bool is_image_source(const OpenedSource& source) {
  return source.is_folder() || images::begins_as_image(source.file().start);
}

PatchAverage::PatchAverage(Index height, Index width, const PatchOptions& options)
    : options_(options),
      height_(height),
      width_(checked_width(height, width, options)),
      grid_(height, width, options, "image") {
  if (!grid_.covers()) {
    throw option_error("stride", std::to_string(options.stride),
                       "at most the patch's size, " + shape_text(options.patch) + ", so that patches cover all pixels");
  }
  memory::with_memory_errors("image", [&] {
    weight_.assign(static_cast<std::size_t>(height * width), 0);
    sum_.assign(weight_.size() * (options.color ? 3 : 1), 0);
  });
}

void PatchAverage::add(Index first, const Eigen::Ref<const Matrix<double>>& patches) {
  add(first, patches, Vector<double>::Ones(patches.cols()));
}

void PatchAverage::add(Index first, const Eigen::Ref<const Matrix<double>>& patches,
                       const Eigen::Ref<const Vector<double>>& weights) {
  const Index channels = options_.color ? 3 : 1;
  const auto& [patch_height, patch_width] = options_.patch;
  const Index length = patch_width * channels;
  if (first < 0 || patches.cols() > grid_.size() - first || patches.rows() != patch_height * length ||
      weights.size() != patches.cols() || !(weights.array() > 0).all()) {
    throw std::logic_error("PatchAverage: patches must lie in the image and have the patch size and positive weights");
  }
  for (Index j = 0; j < patches.cols(); ++j) {
    const double weight = weights[j];
    const double* from = patches.data() + j * patches.outerStride();
    const Index corner = grid_.top(first + j) * width_ + grid_.left(first + j);
    for (Index y = 0; y < patch_height; ++y, from += length) {
      double* sum = sum_.data() + (corner + y * width_) * channels;
      double* total = weight_.data() + corner + y * width_;
      for (Index i = 0; i < length; ++i) sum[i] += weight * from[i];
      for (Index x = 0; x < patch_width; ++x) total[x] += weight;
    }
  }
}

void PatchAverage::add(const PatchAverage& band, Index top) {
  if (band.width_ != width_ || band.options_.color != options_.color || top < 0 || top > height_ - band.height_) {
    throw std::logic_error("PatchAverage: a band must have the image's width and lie in it");
  }
  const auto add_from_row = [&](const std::vector<double>& from, std::vector<double>* to) {
    double* first = to->data() + to->size() / static_cast<std::size_t>(height_) * static_cast<std::size_t>(top);
    std::transform(from.begin(), from.end(), first, first, std::plus<>());
  };
  add_from_row(band.sum_, &sum_);
  add_from_row(band.weight_, &weight_);
}

Image PatchAverage::image(int depth) const {
  const Index channels = options_.color ? 3 : 1;
  Image image{.height = height_, .width = width_, .channels = channels, .depth = depth};
  image.pixels.reserve(sum_.size());
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    const double weight = weight_[i / static_cast<std::size_t>(channels)];
    if (!(weight > 0)) throw std::logic_error("PatchAverage: some pixels are not covered by any added patch");
    image.pixels.push_back(static_cast<float>(sum_[i] / weight));
  }
  return image;
}

}  // namespace orthodict
