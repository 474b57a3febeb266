// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/names.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// A picture: rows from the top, pixels from the left, the channels of a pixel side by side. Values are on the scale of
// 8 bits, 0 … 255, whatever the depth of the file: those of 16 bits are divided by 257.
struct ORTHODICT_EXPORT Image {
  Index height = 0;
  Index width = 0;
  Index channels = 1;  // 1: grey; 3: red, green, blue
  int depth = 8;       // bits per value in a file, 8 or 16
  std::vector<float> pixels = {};

  [[nodiscard]] float& at(Index y, Index x, Index channel = 0) { return pixels[place(y, x, channel)]; }
  [[nodiscard]] float at(Index y, Index x, Index channel = 0) const { return pixels[place(y, x, channel)]; }

  // Throws Error, naming `name`, unless the fields fit together: 1 or 3 channels, 8 or 16 bits, at least one pixel.
  void validate(const std::string& name) const;

 private:
  [[nodiscard]] std::size_t place(Index y, Index x, Index channel) const {
    return static_cast<std::size_t>((y * width + x) * channels + channel);
  }
};

// Reads PNG, JPEG, PGM or PPM, told by the first bytes. A palette is resolved, 1, 2 and 4 bits become 8, transparency
// is left out: the pixels are what they are under it. Throws Error (Fault::kData) that names the file and its fault.
[[nodiscard]] ORTHODICT_EXPORT Image read_image(const std::string& path);

// Writes .png, .pgm (grey only), .ppm (grey becomes three equal channels), .jpg or .jpeg (8 bits, quality 95), told by
// the name, through a temporary name. Values are rounded and clipped to the image's depth.
ORTHODICT_EXPORT void write_image(const std::string& path, const Image& image);
// The name ends in one of these.
[[nodiscard]] ORTHODICT_EXPORT bool is_image_name(const std::string& path);

// Luma of ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B, not rounded. A grey image stays as it is.
[[nodiscard]] ORTHODICT_EXPORT Image to_grey(const Image& image);
// Three equal channels. An image in colour stays as it is.
[[nodiscard]] ORTHODICT_EXPORT Image to_color(const Image& image);

// The sizes in "8x12" or "8x12x3": height, width, and perhaps channels, 1 or 3. Throws Error that names `option`.
[[nodiscard]] ORTHODICT_EXPORT std::vector<Index> parse_extents(const std::string& option, const std::string& text);

// "8x12": height, then width.
struct ORTHODICT_EXPORT PatchShape {
  Index height = 8;
  Index width = 8;
};
[[nodiscard]] ORTHODICT_EXPORT PatchShape parse_patch_shape(const std::string& option, const std::string& text);

struct ORTHODICT_EXPORT PatchOptions {
  PatchShape patch = {};
  // Patches begin at 0, stride, 2·stride … in both directions, and flush with the lower and right border, so that with
  // a stride up to the patch's size every pixel is in one. ≥ 1.
  Index stride = 1;
  // Patches of all three channels, a sample having height·width·3 entries, channels fastest; grey images get three
  // equal channels. Otherwise patches of the luma.
  bool color = false;

  // Throws Error that names the option that isn't legal.
  void validate() const;
};

// Where the patches of one image lie: row by row of patches. Throws Error when the patch is larger than the image.
class ORTHODICT_EXPORT PatchGrid {
 public:
  PatchGrid(Index image_height, Index image_width, const PatchOptions& options, const std::string& name);
  [[nodiscard]] Index size() const { return rows() * columns(); }
  [[nodiscard]] Index rows() const { return static_cast<Index>(tops_.size()); }
  [[nodiscard]] Index columns() const { return static_cast<Index>(lefts_.size()); }
  [[nodiscard]] Index top(Index patch) const { return tops_[static_cast<std::size_t>(patch / columns())]; }
  [[nodiscard]] Index left(Index patch) const { return lefts_[static_cast<std::size_t>(patch % columns())]; }
  // Every pixel is in a patch.
  [[nodiscard]] bool covers() const { return covers_; }

 private:
  std::vector<Index> tops_;
  std::vector<Index> lefts_;
  bool covers_;
};

// The patches of images, one image after the other, cut out block by block as they are used: only the images are held.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> image_patches(std::vector<Image> images,
                                                                      const PatchOptions& options,
                                                                      const std::string& name = "images");

// The patches of an image file, or of all images in a folder (not in folders below it) in the order of their names.
// Files of other kinds are passed over; an image that can't be read is an error.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_patches(const std::string& path,
                                                                     const PatchOptions& options);
// The path is a folder, or a file that begins as a PNG, JPEG, PGM or PPM does.
[[nodiscard]] ORTHODICT_EXPORT bool is_image_source(const std::string& path);

// Puts patches back: each pixel is the weighted mean of all patches that cover it.
class ORTHODICT_EXPORT PatchAverage {
 public:
  // For an image of height×width pixels cut by `options`; throws Error when the stride leaves pixels uncovered.
  PatchAverage(Index height, Index width, const PatchOptions& options);
  [[nodiscard]] const PatchGrid& grid() const { return grid_; }
  // Adds patches [first, first + patches.cols()), a patch being a column; all weigh 1, or `weights[j] > 0`.
  void add(Index first, const Eigen::Ref<const Matrix<double>>& patches);
  void add(Index first, const Eigen::Ref<const Matrix<double>>& patches,
           const Eigen::Ref<const Vector<double>>& weights);
  // Adds the sums of a band of the image, as wide as it is, whose first row of pixels is row `top`.
  void add(const PatchAverage& band, Index top);
  // All patches have been added.
  [[nodiscard]] Image image(int depth = 8) const;

 private:
  PatchOptions options_;
  Index height_;
  Index width_;
  PatchGrid grid_;
  std::vector<double> sum_;
  std::vector<double> weight_;
};

// Peak signal-to-noise ratio in dB for a peak of 255, over all channels, and the mean structural similarity (Wang et
// al. 2004: Gaussian window of 11 pixels with σ = 1.5, K = 0.01, 0.03) where the window lies inside; of colour, the
// mean over channels. Throw Error unless both have the same shape (and, for the second, at least 11×11 pixels). The
// first is infinite for equal images.
[[nodiscard]] ORTHODICT_EXPORT double psnr(const Image& image, const Image& reference);
[[nodiscard]] ORTHODICT_EXPORT double ssim(const Image& image, const Image& reference);

// How the largest entry of an atom is shown.
enum class Contrast { kEach, kCommon };
template <>
ORTHODICT_EXPORT std::span<const Named<Contrast>> names_of();

struct ORTHODICT_EXPORT MosaicOptions {
  // Of an atom, {height, width} or {height, width, channels}; the model's sample_shape when empty.
  std::vector<Index> shape = {};
  Index columns = 16;  // atoms side by side, ≥ 1
  Contrast contrast = Contrast::kEach;
  std::optional<Index> scale = {};  // pixels per entry, 1 … 1000; when unset a tile has at least 64 on its longer side

  // Throws Error that names the option that isn't legal.
  void validate() const;
};

// The atoms of a model as pictures, in its order (by energy) row by row, on black: zero is grey, the largest entry
// black or white; atoms in colour deviate from grey channel by channel. Throws Error when atoms aren't pictures.
struct Model;
[[nodiscard]] ORTHODICT_EXPORT Image atom_mosaic(const Model& model, const MosaicOptions& options = {});

}  // namespace orthodict
