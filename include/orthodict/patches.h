// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/image.h"
#include "orthodict/io.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

struct ORTHODICT_EXPORT PatchShape {
  Index height = 8;
  Index width = 8;
};

struct ORTHODICT_EXPORT PatchOptions {
  PatchShape patch = {};
  // Distance of patches in both directions, ≥ 1. The last patches are flush with the lower and right border, so that a
  // stride up to the patch's size covers every pixel.
  Index stride = 1;
  // Patches of all three channels: samples have height·width·3 entries, channels fastest; grey images get three equal
  // channels. Otherwise patches of the luma.
  bool color = false;

  // Throws Error that names the first invalid option.
  void validate() const;
};

// The positions of patches in an image, row by row. Throws Error if the patch is larger than the image.
class ORTHODICT_EXPORT PatchGrid {
 public:
  PatchGrid(Index image_height, Index image_width, const PatchOptions& options, const std::string& name);
  [[nodiscard]] Index size() const { return rows() * columns(); }
  [[nodiscard]] Index rows() const { return static_cast<Index>(tops_.size()); }
  [[nodiscard]] Index columns() const { return static_cast<Index>(lefts_.size()); }
  [[nodiscard]] Index top(Index patch) const { return tops_[static_cast<std::size_t>(patch / columns())]; }
  [[nodiscard]] Index left(Index patch) const { return lefts_[static_cast<std::size_t>(patch % columns())]; }
  // Whether every pixel is in a patch.
  [[nodiscard]] bool covers() const { return covers_; }

 private:
  std::vector<Index> tops_;
  std::vector<Index> lefts_;
  bool covers_;
};

// The patches of images, one image after the other. Only the images are kept in memory; patches are extracted when they
// are used.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> image_patches(std::vector<Image> images,
                                                                      const PatchOptions& options,
                                                                      const std::string& name = "images");

// The patches of an image file, or of all images in a folder (not its subfolders), sorted by name. Other files are
// ignored; an unreadable image is an Error.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_patches(const std::string& path,
                                                                     const PatchOptions& options);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_patches(const OpenedSource& source,
                                                                     const PatchOptions& options);
// Whether the source is a folder, or a file with the signature of an image.
[[nodiscard]] ORTHODICT_EXPORT bool is_image_source(const OpenedSource& source);

// Assembles an image from patches: each pixel is the weighted mean of all patches that cover it.
class ORTHODICT_EXPORT PatchAverage {
 public:
  // For an image of height×width pixels. Throws Error if the stride leaves pixels uncovered.
  PatchAverage(Index height, Index width, const PatchOptions& options);
  [[nodiscard]] const PatchGrid& grid() const { return grid_; }
  // Adds patches [first, first + patches.cols()), the columns of `patches`, with weight 1 or `weights[j]` > 0.
  void add(Index first, const Eigen::Ref<const Matrix<double>>& patches);
  void add(Index first, const Eigen::Ref<const Matrix<double>>& patches,
           const Eigen::Ref<const Vector<double>>& weights);
  // Adds the sums of a band of full width, whose first row of pixels is row `top` of the image.
  void add(const PatchAverage& band, Index top);
  // Requires that all patches have been added.
  [[nodiscard]] Image image(int depth = 8) const;

 private:
  PatchOptions options_;
  Index height_;
  Index width_;
  PatchGrid grid_;
  std::vector<double> sum_;
  std::vector<double> weight_;
};

}  // namespace orthodict
