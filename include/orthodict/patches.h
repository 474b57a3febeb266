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
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_patches(const OpenedSource& source,
                                                                     const PatchOptions& options);
// A folder, or a file that begins as PNG, JPEG, PGM or PPM do.
[[nodiscard]] ORTHODICT_EXPORT bool is_image_source(const OpenedSource& source);

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

}  // namespace orthodict
