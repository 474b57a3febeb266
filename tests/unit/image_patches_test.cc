// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "files.h"
#include "orthodict/patches.h"

namespace orthodict {
namespace {

// Every value encodes its position: channel + 3·(x + width·y) for colour.
Image numbered_image(Index height, Index width, Index channels) {
  Image image{.height = height, .width = width, .channels = channels};
  for (Index i = 0; i < height * width * channels; ++i) image.pixels.push_back(static_cast<float>(i));
  return image;
}

template <typename Scalar>
Matrix<double> all_of(const Samples& samples) {
  std::vector<Scalar> scratch(static_cast<std::size_t>(samples.dimension() * samples.size()));
  const auto block = samples.block(0, samples.size(), scratch.data());
  EXPECT_EQ(block.stride, samples.dimension());
  return Eigen::Map<const Matrix<Scalar>>(block.data, samples.dimension(), samples.size()).template cast<double>();
}

// The origins of patches, by the contract.
std::vector<Index> expected_places(Index extent, Index patch, Index stride) {
  std::vector<Index> places;
  for (Index at = 0; at + patch <= extent; at += stride) places.push_back(at);
  if (places.back() + patch < extent) places.push_back(extent - patch);
  return places;
}

Matrix<double> expected_patches(const Image& image, const PatchOptions& options) {
  const auto& [height, width] = options.patch;
  std::vector<double> entries;
  Index count = 0;
  for (const Index top : expected_places(image.height, height, options.stride)) {
    for (const Index left : expected_places(image.width, width, options.stride)) {
      ++count;
      for (Index y = 0; y < height; ++y) {
        for (Index x = 0; x < width; ++x) {
          for (Index c = 0; c < image.channels; ++c) entries.push_back(image.at(top + y, left + x, c));
        }
      }
    }
  }
  return Eigen::Map<Matrix<double>>(entries.data(), static_cast<Index>(entries.size()) / count, count);
}

TEST(ImagePatches, BeginAtEveryStrideAndFlushWithTheBorder) {
  for (const bool color : {false, true}) {
    const Image image = numbered_image(11, 17, color ? 3 : 1);
    for (const Index stride : {1, 2, 3, 5, 20}) {
      for (const PatchShape shape : {PatchShape{1, 1}, {3, 5}, {8, 8}, {11, 17}, {2, 9}}) {
        const PatchOptions options{.patch = shape, .stride = stride, .color = color};
        const auto samples = image_patches({image}, options);
        const Matrix<double> expected = expected_patches(image, options);
        ASSERT_EQ(samples->size(), expected.cols());
        ASSERT_EQ(samples->dimension(), expected.rows());
        EXPECT_EQ(all_of<float>(*samples), expected);
        EXPECT_EQ(all_of<double>(*samples), expected);
      }
    }
  }
}

TEST(ImagePatches, HaveTheShapeOfPictures) {
  const Image image = numbered_image(9, 9, 3);
  EXPECT_EQ(image_patches({image}, {.patch = {4, 6}})->sample_shape(), (std::vector<Index>{4, 6}));
  EXPECT_EQ(image_patches({image}, {.patch = {4, 6}, .color = true})->sample_shape(), (std::vector<Index>{4, 6, 3}));
  EXPECT_TRUE(image_patches({image}, {})->fits_f32());
  EXPECT_EQ(image_patches({image}, {}, "holiday")->name(), "holiday");
}

TEST(ImagePatches, OfSeveralImagesFollowEachOther) {
  const std::vector<Image> images = {numbered_image(5, 6, 1), numbered_image(4, 4, 3), numbered_image(3, 9, 1)};
  for (const bool color : {false, true}) {
    const PatchOptions options{.patch = {3, 4}, .stride = 2, .color = color};
    Matrix<double> expected(color ? 36 : 12, 0);
    for (const Image& image : images) {
      const Matrix<double> next = expected_patches(color ? to_color(image) : to_grey(image), options);
      expected.conservativeResize(Eigen::NoChange, expected.cols() + next.cols());
      expected.rightCols(next.cols()) = next;
    }
    const auto samples = image_patches(images, options);
    ASSERT_EQ(samples->size(), expected.cols());
    EXPECT_EQ(all_of<float>(*samples), expected);
    std::vector<double> scratch(static_cast<std::size_t>(expected.size()));
    for (Index first = 0; first < samples->size(); ++first) {
      for (Index count = 1; first + count <= samples->size(); ++count) {
        const auto block = samples->block(first, count, scratch.data());
        EXPECT_EQ(Eigen::Map<const Matrix<double>>(block.data, expected.rows(), count),
                  expected.middleCols(first, count));
      }
    }
  }
}

TEST(ImagePatches, ThatAreNotLegalAreRefused) {
  const Image image = numbered_image(5, 6, 1);
  const auto refusal = [&](const PatchOptions& options, Fault fault) {
    return test::message_of([&] { static_cast<void>(image_patches({image}, options, "photo")); }, fault);
  };
  EXPECT_MENTIONS(refusal({.patch = {0, 4}}, Fault::kOption), "patch = 0x4");
  EXPECT_MENTIONS(refusal({.patch = {4, -1}}, Fault::kOption), "patch = 4x-1");
  EXPECT_MENTIONS(refusal({.patch = {4, 4}, .stride = 0}, Fault::kOption), "stride = 0");
  EXPECT_MENTIONS(refusal({.patch = {6, 6}}, Fault::kData), "photo: 5×6 pixels, smaller than a patch of 6×6");
  EXPECT_MENTIONS(refusal({.patch = {1, 7}}, Fault::kData), "photo: 5×6 pixels, smaller than a patch of 1×7");
  EXPECT_MENTIONS(test::message_of([] { static_cast<void>(image_patches({}, {})); }), "no images");
  EXPECT_MENTIONS(test::message_of([] { static_cast<void>(image_patches({Image{}}, {})); }), "0×0×1");
}

using ImageFolder = test::FolderTest;

TEST_F(ImageFolder, GivesImagesInTheOrderOfTheirNames) {
  const Image first = numbered_image(4, 5, 1);
  Image second = numbered_image(6, 3, 3);
  second.depth = 16;
  write_image(path("b.pgm"), second);
  write_image(path("a.pgm"), first);
  static_cast<void>(write("c.txt", "no image"));
  static_cast<void>(write("empty", ""));
  std::filesystem::create_directory(path("d.pgm"));
  write_image(path("d.pgm/deeper.pgm"), first);
  const PatchOptions options{.patch = {2, 3}};
  const auto samples = read_patches(path(""), options);
  const auto expected = image_patches({first, second}, options);
  ASSERT_EQ(samples->size(), expected->size());
  EXPECT_EQ(all_of<float>(*samples), all_of<float>(*expected));
  EXPECT_TRUE(is_image_source(OpenedSource(path(""))));
}

TEST_F(ImageFolder, WithoutImagesOrWithADamagedOneIsRefused) {
  const auto refusal = [&](const std::string& name) {
    return test::message_of([&] { static_cast<void>(read_patches(path(name), {.patch = {2, 2}})); });
  };
  EXPECT_MENTIONS(refusal(""), "has no images");
  static_cast<void>(write("c.txt", "no image"));
  EXPECT_MENTIONS(refusal(""), "has no images");
  static_cast<void>(write("b.pgm", "P5 9 9 255 x"));
  EXPECT_MENTIONS(refusal(""), "b.pgm: truncated");
  write_image(path("a.pgm"), numbered_image(1, 9, 1));
  std::filesystem::remove(path("b.pgm"));
  EXPECT_MENTIONS(refusal(""), "a.pgm: 1×9 pixels");
  EXPECT_MENTIONS(refusal("none"), "none: cannot be opened");
}

TEST(PatchAverage, OfPatchesOfAnImageIsTheImage) {
  for (const bool color : {false, true}) {
    const Image image = numbered_image(13, 10, color ? 3 : 1);
    for (const Index stride : {1, 2, 3}) {
      const PatchOptions options{.patch = {3, 4}, .stride = stride, .color = color};
      const Matrix<double> patches = expected_patches(image, options);
      PatchAverage average(13, 10, options);
      ASSERT_EQ(average.grid().size(), patches.cols());
      for (Index first = 0; first < patches.cols(); first += 7) {
        average.add(first, patches.middleCols(first, std::min<Index>(7, patches.cols() - first)));
      }
      const Image back = average.image(16);
      EXPECT_EQ(back.depth, 16);
      // Sums of small integers are exact, and so is their quotient by the number of summands.
      EXPECT_EQ(back.pixels, image.pixels);
    }
  }
}

TEST(PatchAverage, WeighsPatches) {
  PatchAverage average(1, 3, {.patch = {1, 2}});
  const Matrix<double> patches{{1.0, 5.0}, {2.0, 7.0}};
  average.add(0, patches, Vector<double>{{3.0, 1.0}});
  EXPECT_EQ(average.image().pixels, (std::vector<float>{1, (3 * 2 + 1 * 5) / 4.0F, 7}));
  average.add(1, patches.col(1));  // once more
  EXPECT_EQ(average.image().pixels, (std::vector<float>{1, (3 * 2 + 2 * 5) / 5.0F, 7}));
}

TEST(PatchAverage, WantsEveryPixelCoveredAndEveryPatchAdded) {
  EXPECT_MENTIONS(test::message_of(
                      [] {
                        PatchAverage(9, 9, {.patch = {2, 3}, .stride = 3});
                      },
                      Fault::kOption),
                  "stride = 3");
  EXPECT_NO_THROW(PatchAverage(3, 3, {.patch = {2, 3}, .stride = 3}));  // the second patch is flush with the border
  EXPECT_MENTIONS(test::message_of([] { PatchAverage(1'000'000, 1'000'000, {}); }), "memory");
  PatchAverage average(4, 4, {.patch = {2, 2}, .stride = 2});
  const Matrix<double> patches = Matrix<double>::Ones(4, 3);
  EXPECT_THROW(average.add(2, patches), std::logic_error);
  EXPECT_THROW(average.add(-1, patches), std::logic_error);
  EXPECT_THROW(average.add(0, Matrix<double>::Ones(5, 3)), std::logic_error);
  EXPECT_THROW(average.add(0, patches, Vector<double>::Zero(3)), std::logic_error);
  EXPECT_THROW(average.add(0, patches, Vector<double>::Ones(2)), std::logic_error);
  average.add(0, patches);
  EXPECT_THROW(static_cast<void>(average.image()), std::logic_error);
  average.add(3, patches.leftCols(1));
  EXPECT_EQ(average.image().pixels, std::vector<float>(16, 1));
}

}  // namespace
}  // namespace orthodict
